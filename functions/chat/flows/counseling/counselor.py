"""Counselor: streams the reply that the directive plans; apologizes if no model answers."""

from dataclasses import replace

from functions.chat.flows.counseling.findings import Findings, Reply, after
from functions.chat.flows.counseling.honesty import disclosure_due
from functions.chat.flows.counseling.output_guard import guard_of, guarded_findings
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.safety_gate import fixed_safety_reply, voice_of
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.contracts.events import Replace, Token
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.risk_events import DangerAsked
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import PartAnnounced, RepeatAsked, ReplyDegraded, WrapUpProposed
from shared.domain.counseling.task_events import SlotAsked
from shared.domain.event import Event
from shared.engine.agent import Speaker
from shared.engine.flow import Turn
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.engine.prose import excerpt
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import speak
from shared.lexicon.session_words import without_questions
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


SPEAKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 2, CounselorInput))


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
    guard = guard_of(turn, message, session, content, SPEAKER.prompt, noticed=bool(prefix.text))
    spoken = await speak(turn.runner, SPEAKER, asked_for, dialogue(turn.state, message.text), scope, guard)
    if spoken is None:
        fallback = _without_a_model(turn, message, session, found, directive, content)
        return _replaced(turn, prefix, Reply(fallback.text, given + fallback.found))
    if spoken.shortened:
        given += Findings(flags=("shortened",))
    cut = guarded_findings(turn, spoken.guarded)
    said = _with_the_proposal(directive, spoken.text, session, content)
    whole = (
        said
        + _danger_left_out(session, turn.seq, directive, spoken.text, content)
        + _help_lines(session, message, content)
    )
    if not whole.startswith(spoken.text):
        turn.scope.emit(Replace(text=prefix.before(whole)))
    elif whole != spoken.text:
        turn.scope.emit(Token(text=whole.removeprefix(spoken.text)))
    asked = _asked(turn.seq, directive, whole=not cut.flags, asks=_asks(spoken.text))
    return Reply(prefix.before(whole), given + cut + Findings(events=asked))


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
    slot = directive.ask.slot if directive.ask is not None and (whole or asks) else None
    events: tuple[Event[Session] | None, ...] = (
        DangerAsked(seq=seq) if directive.concern else None,
        RepeatAsked(seq=seq) if directive.parse_error else None,
        SlotAsked(slot=slot, seq=seq),
        PartAnnounced(part=directive.part) if directive.part_changed and whole else None,
        WrapUpProposed(aim=directive.proposes, seq=seq) if directive.proposes is not None else None,
    )
    return tuple(event for event in events if event is not None)


def _unclear(session: Session, seq: int, directive: Directive, content: Content) -> str:
    """Return how to say that the message was not understood; with a request to repeat it unless a question follows."""
    if not directive.parse_error:
        return ""
    messages = content.messages(session.locale, session.register_)
    keys = ("not_understood",) if directive.ask else ("not_understood", "say_again")
    wordings = (messages.variants(key) for key in keys)
    return " ".join(each[seq % len(each)] for each in wordings)


def _with_the_proposal(directive: Directive, spoken: str, session: Session, content: Content) -> str:
    """Return the reply with the proposal's question, which the next "yes" answers.

    If the model asks something else or nothing, the fixed question is used instead.
    """
    words = content.session_words
    match directive.proposes:
        case None:
            return spoken
        case WrapUpAim.END:
            asked, question = words.asks_to_end(spoken), "confirm_end"
        case WrapUpAim.WRAP_UP:
            asked, question = words.asks_to_wrap_up(spoken), "propose_wrap_up"
    if asked:
        return spoken
    own = content.messages(session.locale, session.register_).text(question)
    return "\n\n".join(filter(None, (without_questions(spoken) if _asks(spoken) else spoken, own)))


def _danger_left_out(session: Session, seq: int, directive: Directive, spoken: str, content: Content) -> str:
    """Return the direct question about suicide if it is due but missing from the reply; else an empty text."""
    if not directive.concern or content.crisis_answers.asks_directly(spoken):
        return ""
    return "\n\n" + content.crisis_replies.direct_question(voice_of(session), seq)


def _asks(text: str) -> bool:
    return "?" in text or "？" in text


def _without_a_model(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    found: Findings,
    directive: Directive,
    content: Content,
) -> Reply:
    """Ask to confirm the end if that was planned, so that the user can leave without a model; else apologize."""
    if directive.proposes is not WrapUpAim.END:
        return _apology(turn, message, session, found, content)
    words = content.messages(session.locale, session.register_).text("confirm_end") + _help_lines(
        session, message, content
    )
    events = (ReplyDegraded(), WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq))
    return Reply(words, Findings(events=events, flags=(DEGRADED,)))


def _apology(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Reply:
    """Return the safety reply that is due, else an apology in another wording than the last."""
    care = fixed_safety_reply(turn, session, found, content)
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
