"""Counselor: streams the reply that the directive plans; apologizes if no model answers."""

from collections.abc import Sequence
from dataclasses import replace

from functions.chat.flows.counseling.findings import Findings, Reply, after
from functions.chat.flows.counseling.help_seeking import guided
from functions.chat.flows.counseling.honesty import disclosure_due
from functions.chat.flows.counseling.output_guard import guard_of, guarded_findings
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.safety_gate import concern_reply, fixed_safety_reply
from functions.chat.flows.counseling.user_message import UserMessage
from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.contracts.events import Replace, Token
from shared.domain.counseling.directive import Ask, Directive, EndCause, Heed, Stance
from shared.domain.counseling.risk_events import DangerAsked
from shared.domain.counseling.safety_plan import step_of
from shared.domain.counseling.safety_plan_events import SafetyPlanOffered
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import PartAnnounced, RepeatAsked, ReplyDegraded, WrapUpProposed
from shared.domain.counseling.task_events import ContradictionAsked, SlotAsked
from shared.domain.event import Event
from shared.engine.agent import Speaker
from shared.engine.flow import Turn
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.engine.mended import Mended
from shared.engine.prose import excerpt
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import FORM, speak
from shared.lexicon.session_words import questions_of, without_questions
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.follow_through import needs_now, resources_due
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import Topic

AGENT = "counselor"
DEGRADED = "degraded"
EXPLAINED = 0.5
"""Share of an explanation's content words from which a reply gives it in its own words."""
SHORTEST_REFLECTION = 20
"""Characters from which a reply stands without its question."""
ALIKE = 2
"""Content words that a question shares with the step of a safety plan that it asks for."""


class CounselorInput(Model):
    """Prompt variables; the dialogue follows as messages.

    Attributes:
        unclear: An example of how to say that the message was not understood.
    """

    directive: Directive
    speech_register: str
    summary: str
    first_turn: bool
    unclear: str = ""


SPEAKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 3, CounselorInput))
CARE = Speaker(name=AGENT, prompt=Prompt(PROMPTS, "counselor_care", 2, CounselorInput))
"""Speaks while a danger is followed up: a prompt about safety alone."""


def speaker_of(stance: Stance) -> Speaker[CounselorInput]:
    """Return the speaker whose prompt fits what the reply is for."""
    return CARE if stance is Stance.CARE else SPEAKER


async def counsel(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    found: Findings,
    directive: Directive,
    content: Content,
) -> Reply:
    """Stream the reply; its findings say what it asked for and proposed."""
    notice, given = disclosure_due(turn, message, session, content)
    prefix = ReplyPrefix(notice, turn.scope.emit)
    asked_for = CounselorInput(
        directive=directive,
        speech_register=session.register_.value,
        summary=excerpt(turn.state.summary_text, LONGEST_SUMMARY),
        first_turn=turn.state.seq == 0,
        unclear=_unclear(session, turn.seq, directive, content),
    )
    scope = replace(turn.scope, emit=prefix.emit)
    speaker = speaker_of(directive.stance)
    guard = guard_of(turn, message, session, content, speaker.prompt, noticed=bool(prefix.text))
    spoken = await speak(turn.runner, speaker, asked_for, dialogue(turn.state, message.text), scope, guard)
    if spoken is None:
        fallback = _without_a_model(turn, message, session, found, directive, content)
        return _replaced(turn, prefix, Reply(fallback.text, given + fallback.found))
    if spoken.shortened:
        given += Findings(flags=("shortened",))
    cut = guarded_findings(turn, spoken.guarded)
    said = _with_the_rules_question(directive, spoken.text, session, turn.seq, content)
    if not cut.flags:
        said = _with_the_explanation(directive, said, session, content)
    care = guided(turn, message, session, found, said, content)
    whole = care.text + _help_lines(session, message, content)
    if not whole.startswith(spoken.text):
        turn.scope.emit(Replace(text=prefix.before(whole)))
    elif whole != spoken.text:
        turn.scope.emit(Token(text=whole.removeprefix(spoken.text)))
    heard = directive if _ask_was_heard(turn, directive, spoken.text, content) else directive.without_ask()
    asked = _asked(turn.seq, heard, whole=not cut.flags, asks=_asks(spoken.text))
    if _asks_the_helper(session, directive):
        asked = (*asked, DangerAsked(seq=turn.seq))
    return Reply(prefix.before(whole), given + cut + care.found + Findings(events=asked))


def apologize(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Reply:
    """Say that no answer could be given, after an AI notice if one is due."""
    notice, given = disclosure_due(turn, message, session, content)
    apology = _apology(turn, message, session, found, content)
    return _replaced(turn, ReplyPrefix(notice, turn.scope.emit), Reply(apology.text, given + apology.found))


def _replaced(turn: Turn[Session], prefix: ReplyPrefix, reply: Reply) -> Reply:
    """Replace the streamed text by a reply."""
    text = prefix.before(reply.text)
    turn.scope.emit(Replace(text=text))
    return Reply(text, reply.found)


def _asked(seq: int, directive: Directive, *, whole: bool, asks: bool) -> tuple[Event[Session], ...]:
    """Return the events for what the reply asked for and proposed.

    Args:
        seq: The turn.
        directive: The directive of the reply.
        whole: The guard cut nothing from the model's reply.
        asks: The model's reply contains a question.
    """
    ask = directive.ask
    slot = ask.slot if ask is not None and (whole or asks or step_of(ask.slot)) else None
    events: tuple[Event[Session] | None, ...] = (
        DangerAsked(seq=seq) if directive.concern else None,
        RepeatAsked(seq=seq) if directive.parse_error else None,
        SafetyPlanOffered(seq=seq) if directive.offers_plan else None,
        SlotAsked(slot=slot, seq=seq),
        ContradictionAsked(slot=directive.contradiction.slot, seq=seq) if directive.contradiction else None,
        PartAnnounced(part=directive.part) if directive.part_changed and whole else None,
        WrapUpProposed(aim=directive.proposes, seq=seq) if directive.proposes is not None else None,
    )
    return tuple(event for event in events if event is not None)


def _ask_was_heard(turn: Turn[Session], directive: Directive, spoken: str, content: Content) -> bool:
    """Return whether the reply asks for the slot; the model's own question may have come first and displaced it."""
    displaced = any(run.agent == FORM and run.output == Mended.QUESTION.value for run in turn.scope.ledger.runs)
    if directive.ask is None or not displaced:
        return True
    wanted, asked = map(content.lexicon.read, (directive.ask.question, " ".join(questions_of(spoken))))
    return bool(wanted.content_words & asked.content_words)


def _unclear(session: Session, seq: int, directive: Directive, content: Content) -> str:
    """Return how to say that the message was not understood; with a request to repeat it unless a question follows."""
    if not directive.parse_error:
        return ""
    messages = content.messages(session.locale, session.register_)
    keys = ("not_understood",) if directive.ask else ("not_understood", "say_again")
    wordings = (messages.variants(key) for key in keys)
    return " ".join(each[seq % len(each)] for each in wordings)


def _with_the_rules_question(directive: Directive, spoken: str, session: Session, seq: int, content: Content) -> str:
    """Return the reply with the one question that a rule asks: about danger, a close, a safety plan, or two values.

    If the model asks something else or nothing, the fixed question replaces its own (it has one at most), so that a
    "yes" answers no other. A proposal to close never stands alone: it follows what was said of the message.
    """
    messages = content.messages(session.locale, session.register_)
    ruled = _rules_question(directive, spoken, session, seq, content)
    if ruled is None:
        return _without_its_question(spoken, messages.variants("no_hurry"), seq) if directive.skipped else spoken
    asked, question = ruled
    told = without_questions(spoken)
    if asked and (told or directive.concern):
        return spoken
    messages = content.messages(session.locale, session.register_)
    received = told or ("" if directive.concern else messages.text("received"))
    return "\n\n".join(filter(None, (received, spoken if asked else question)))


def _rules_question(
    directive: Directive, spoken: str, session: Session, seq: int, content: Content
) -> tuple[bool, str] | None:
    """Return whether the reply asks what a rule asks, and the rule's own question; None if no rule asks."""
    if directive.concern:
        asked = content.crisis_answers.asks_directly(spoken)
        return asked, content.crisis_replies.direct_question(voice_of(session), seq)
    if _asks_the_helper(session, directive):
        wordings = content.crisis_replies.questions(Topic.HELPER_TOO, voice_of(session))
        return content.crisis_answers.asks_directly(spoken, last=True), wordings[seq % len(wordings)]
    if directive.proposes is not None:
        return _proposal(directive, spoken, content.messages(session.locale, session.register_), content)
    if directive.contradiction is not None:
        question = directive.contradiction.question
        return question in spoken, question
    if directive.offers_plan:
        return False, content.safety_plan.text(content.safety_plan.written.offer, voice_of(session))
    if directive.ask is not None and step_of(directive.ask.slot):
        return _asks_for(directive.ask, spoken, content), directive.ask.question
    return None


def _proposal(directive: Directive, spoken: str, messages: Messages, content: Content) -> tuple[bool, str]:
    """Return whether the reply asks whether to close, and the fixed question; the offer to rest has fixed words."""
    words = content.session_words
    if directive.end_cause is EndCause.SHORT_ANSWERS:
        return False, messages.text("rest_or_end")
    if directive.proposes is WrapUpAim.END:
        return words.asks_to_end(spoken), messages.text("confirm_end")
    return words.asks_to_wrap_up(spoken), messages.text("propose_wrap_up")


def _without_its_question(spoken: str, no_hurry: Sequence[str], seq: int) -> str:
    """Return a reply that asks nothing, whatever the model asked; if little is left, with words that leave room."""
    if not questions_of(spoken):
        return spoken
    told = without_questions(spoken)
    return told if len(told) >= SHORTEST_REFLECTION else f"{told} {no_hurry[seq % len(no_hurry)]}".strip()


def _asks_the_helper(session: Session, directive: Directive) -> bool:
    """Return whether the reply asks a user who worries about another person whether they think of dying, too.

    In the turn after the protocol's reply, which asked about the other person.
    """
    risk = session.risk
    worries = directive.heed is Heed.HELPER and risk.outcome is CrisisOutcome.THIRD_PARTY and risk.turns_since == 1
    unasked = risk.asked_seq is None or risk.asked_seq < (risk.since_seq or 0)
    return worries and unasked and directive.stance is Stance.ACCOMPANY and directive.proposes is None


def _with_the_explanation(directive: Directive, said: str, session: Session, content: Content) -> str:
    """Return the reply with the explanation that the question of an agreement holds.

    If the model left most of it out, the fixed text takes the place of the model's question.
    """
    ask = directive.ask
    slots = (slot for task in session.tasks for slot in task.slots)
    if ask is None or not any(slot.agrees and slot.name == ask.slot for slot in slots):
        return said
    told, guide = (content.lexicon.read(text).content_words for text in (said, without_questions(ask.question)))
    if len(told & guide) >= len(guide) * EXPLAINED:
        return said
    return "\n\n".join(filter(None, (without_questions(said), ask.question)))


def _asks_for(ask: Ask, spoken: str, content: Content) -> bool:
    """Return whether the reply's questions are about what is to be asked: the answer is kept in the user's words."""
    wanted, asked = (content.lexicon.read(text) for text in (ask.question, " ".join(questions_of(spoken))))
    return len(wanted.content_words & asked.content_words) >= ALIKE


def _asks(text: str) -> bool:
    return bool(questions_of(text))


def _without_a_model(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    found: Findings,
    directive: Directive,
    content: Content,
) -> Reply:
    """Ask what a rule asks, so that the user can leave or go on with a safety plan without a model; else apologize."""
    ask = directive.ask
    if ask is not None and step_of(ask.slot):
        events: tuple[Event[Session], ...] = (ReplyDegraded(), SlotAsked(slot=ask.slot, seq=turn.seq))
        return Reply(ask.question + _help_lines(session, message, content), Findings(events=events, flags=(DEGRADED,)))
    if directive.concern and fixed_safety_reply(turn, message, session, found, content) is None:
        again = concern_reply(turn, session, content)
        return Reply(again.text, again.found + Findings(events=(ReplyDegraded(),), flags=(DEGRADED,)))
    if directive.proposes is not WrapUpAim.END:
        return _apology(turn, message, session, found, content)
    question = "rest_or_end" if directive.end_cause is EndCause.SHORT_ANSWERS else "confirm_end"
    words = content.messages(session.locale, session.register_).text(question) + _help_lines(session, message, content)
    events = (ReplyDegraded(), WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq))
    return Reply(words, Findings(events=events, flags=(DEGRADED,)))


def _apology(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Reply:
    """Return the safety reply that is due, else an apology in another wording than the last."""
    care = fixed_safety_reply(turn, message, session, found, content)
    degraded = Findings(events=(ReplyDegraded(),), flags=(DEGRADED,))
    if care is not None:
        cared = after(session, care.found.events, turn.now)
        words = care.text + _help_lines(cared, message, content, due=session.risk.follow_through)
        return Reply(words, care.found + degraded)
    variants = content.messages(session.locale, session.register_).variants("degraded_reply")
    words = variants[session.degraded_replies % len(variants)] + _help_lines(session, message, content)
    return Reply(words, degraded + Findings(events=(RepeatAsked(seq=turn.seq),)))


def _help_lines(session: Session, message: UserMessage, content: Content, *, due: bool = False) -> str:
    """Return the resource block if `due`, on the user's request or every third turn of a follow-through; else empty."""
    if not (due or resources_due(session.risk) or content.crisis_answers.asks_resources(message.screened)):
        return ""
    return "\n\n" + content.crisis_replies.resource_block(voice_of(session), needs_now(session.risk))
