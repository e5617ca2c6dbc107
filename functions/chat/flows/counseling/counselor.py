"""Counselor: streams the reply that the directive plans; apologizes if no model answers."""

from dataclasses import replace

from functions.chat.flows.counseling.findings import Findings, Reply, after
from functions.chat.flows.counseling.help_seeking import guided
from functions.chat.flows.counseling.honesty import disclosure_due
from functions.chat.flows.counseling.output_guard import guard_of, guarded_findings
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.ruled_question import (
    asks_the_helper,
    with_the_explanation,
    with_the_rules_question,
)
from functions.chat.flows.counseling.safety_gate import concern_reply, fixed_safety_reply
from functions.chat.flows.counseling.user_message import UserMessage
from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.contracts.events import Replace, Token
from shared.domain.counseling.directive import Directive, EndCause, Stance
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
from shared.lexicon.session_words import questions_of
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.follow_through import needs_now, resources_due

AGENT = "counselor"
DEGRADED = "degraded"


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
    said = with_the_rules_question(directive, spoken.text, session, turn.seq, content)
    if not cut.flags:
        said = with_the_explanation(directive, said, session, content)
    care = guided(turn, message, session, found, said, content)
    whole = care.text + _help_lines(session, message, content)
    if not whole.startswith(spoken.text):
        turn.scope.emit(Replace(text=prefix.before(whole)))
    elif whole != spoken.text:
        turn.scope.emit(Token(text=whole.removeprefix(spoken.text)))
    heard = directive if _ask_was_heard(turn, directive, spoken.text, content) else directive.without_ask()
    asked = _asked(turn.seq, heard, whole=not cut.flags, asks=_asks(spoken.text))
    if asks_the_helper(session, directive):
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
