"""Room 13 of a turn: the Counselor's prompt, the guard, the stream, and what code says before and behind it.

What the model says is shown as it says it, but for the guard's bans. Code's own question comes last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from functions.chat.danger.rooms import DEGRADED, Danger
from functions.chat.deciding import Decision
from functions.chat.findings import Findings, Reply
from functions.chat.wordings import unsaid
from shared.content.catalogue import Content
from shared.contracts.events import Replace, Token
from shared.domain.counseling.directive import Directive, EndCause, Stance
from shared.domain.counseling.risk_events import DangerAsked
from shared.domain.counseling.safety_plan import step_of
from shared.domain.counseling.safety_plan_events import SafetyPlanOffered
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import PartAnnounced, RepeatAsked, ReplyDegraded, WrapUpProposed
from shared.domain.counseling.task_events import SlotAsked
from shared.domain.event import Event
from shared.engine.agent import Speaker
from shared.engine.attempt import Spoken
from shared.engine.flow import Turn
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.engine.prose import excerpt
from shared.engine.reply_prefix import BETWEEN, ReplyPrefix
from shared.engine.speech import Speech, deliver
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.help_seeking import Circumstance, Inquiry
from shared.safety.levels import RiskLevel
from shared.safety.output_guard.categories import FAULTS
from shared.safety.output_guard.guard import OutputGuard
from shared.services.counseling.honesty import disclosure_due

PROMPTS = Path(__file__).parent / "prompts"
AGENT = "counselor"


class CounselorInput(Model):
    """Prompt variables; the dialogue follows as messages.

    Attributes:
        fears_home: The user fears their home or family: it is no place and no help to point to.
        in_questionnaire: What may mean danger was an answer to the questionnaire, and no message.
        due: What is still to be asked of a user whose life is in danger.
    """

    directive: Directive
    speech_register: str
    summary: str
    first_turn: bool
    fears_home: bool = False
    in_questionnaire: bool = False
    due: Inquiry | None = None


SPEAKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 4, CounselorInput))
CARE = Speaker(name=AGENT, prompt=Prompt(PROMPTS, "counselor_care", 4, CounselorInput))
"""Speaks while a danger is followed up: a prompt about safety alone."""


@dataclass(frozen=True)
class Prepared:
    """A reply that is decided and not spoken yet.

    Attributes:
        notice: What code says before it, the AI notice; may be empty.
        given: The event of the notice.
    """

    decision: Decision
    notice: str
    given: Findings
    speech: Speech
    guard: OutputGuard

    def sounds_like(self, other: "Prepared") -> bool:
        """Return whether the model is asked for the same reply, which the same guard checks.

        The words of the guide to a task come last in a reading; they change no reply that is under way.
        """
        same = (self.notice, self.speech.history) == (other.notice, other.speech.history)
        mine, its = (one.decision.directive.model_copy(update={"execution_guide": ""}) for one in (self, other))
        return same and mine == its and self.guard.situation == other.guard.situation


def prepare(
    turn: Turn[Session], danger: Danger, decision: Decision, found: Findings, content: Content, *, asks_ai: bool
) -> Prepared:
    """Return the reply that a decision asks for.

    Args:
        turn: The turn.
        danger: Its rooms of danger.
        decision: What was decided.
        found: All that the turn found before it.
        content: All content.
        asks_ai: The user asks whether a person speaks.
    """
    session, directive = decision.session, decision.directive
    notice, given = disclosure_due(session, turn.now, content, asked=asks_ai)
    cares = directive.stance is Stance.CARE
    speaker = CARE if cares else SPEAKER
    fears = session.risk.hurt_at_home or Circumstance.FEARS_HOME in session.help_seeking.circumstances
    said = CounselorInput(
        directive=directive,
        speech_register=session.register_.value,
        summary=excerpt(turn.state.summary_text, LONGEST_SUMMARY),
        first_turn=turn.state.seq == 0,
        fears_home=fears,
        in_questionnaire=any(one.highest_self_harm and one.seq == session.risk.last_seq for one in session.measures),
        due=danger.due(session, found) if cares else None,
    )
    speech = Speech.of(speaker, said, dialogue(turn.state, turn.text), session.locale)
    guard = danger.guard(session, speaker.prompt, noticed=bool(notice))
    return Prepared(decision, notice, Findings(events=given), speech, guard)


async def speak(turn: Turn[Session], prepared: Prepared) -> tuple[ReplyPrefix, Spoken | None]:
    """Stream the reply behind its notice."""
    prefix = ReplyPrefix(prepared.notice, turn.scope.emit)
    return prefix, await deliver(turn.runner, prepared.speech, replace(turn.scope, emit=prefix.emit), prepared.guard)


@dataclass(frozen=True)
class Said:
    """A reply as the user saw it, its findings, and the parts of it that code worded."""

    text: str
    found: Findings
    fixed: tuple[str, ...]


def complete(
    turn: Turn[Session],
    danger: Danger,
    prepared: Prepared,
    spoken: tuple[ReplyPrefix, Spoken | None],
    found: Findings,
    content: Content,
    *,
    unread: bool,
) -> Said:
    """Return the reply with what code adds behind the Counselor's words: the step and question of safety, the lines.

    Without a model it is a fixed reply.
    """
    prefix, words = spoken
    session, directive = prepared.decision.session, prepared.decision.directive
    cut = Findings() if words is None else danger.guarded(words.guarded)
    more = prefix.text or directive.follows or directive.stance is Stance.CARE  # The guard may leave no words.
    if words is None or (not words.text and (words.guarded.category in FAULTS or not more)):
        alone = without_a_model(turn, danger, prepared.decision, found, content, unread=unread)
        turn.scope.emit(Replace(text=prefix.before(alone.text)))
        return Said(
            prefix.before(alone.text), prepared.given + cut + alone.found, (*filter(None, (prefix.text,)), alone.text)
        )
    text, events = words.text, Findings()
    if directive.stance is Stance.CARE:
        care = danger.followed_through(text, session, found)
        text, events = care.text, care.found
    asks_it = directive.concern and danger.asks_directly(words.text)
    follows = "" if asks_it else directive.follows
    lines = danger.lines(session, failed=unread or (words.shortened and session.risk.is_open))
    whole = danger.with_lines(BETWEEN.join(filter(None, (text, follows))), lines, words.text, session)
    if words.text and whole.startswith(words.text):
        turn.scope.emit(Token(text=whole.removeprefix(words.text)))
    elif whole != words.text:
        turn.scope.emit(Replace(text=prefix.before(whole)))
    flags = Findings(flags=("shortened",)) if words.shortened else Findings()
    asked = Findings(events=tuple(asked_for(turn.seq, directive, asks="?" in words.text, whole=not cut.flags)))
    added = text.removeprefix(words.text).strip() if text.startswith(words.text) else text
    fixed = (prefix.text, added if text != words.text else "", follows, lines)
    reply = prefix.before(whole)
    return Said(reply, prepared.given + cut + flags + events + asked, tuple(filter(None, fixed)))


def asked_for(seq: int, directive: Directive, *, asks: bool, whole: bool) -> Sequence[Event[Session]]:
    """Return the events for what the reply asked and proposed."""
    ask = directive.ask.slot if directive.ask is not None and asks else None
    step = directive.ask.slot if directive.ask is not None and step_of(directive.ask.slot) else None
    events: list[Event[Session]] = [SlotAsked(slot=step or ask, seq=seq)]
    if directive.concern or (directive.follows and directive.heed is not None):
        events.append(DangerAsked(seq=seq))
    if directive.parse_error:
        events.append(RepeatAsked(seq=seq))
    if directive.offers_plan:
        events.append(SafetyPlanOffered(seq=seq))
    if directive.part_changed and whole:
        events.append(PartAnnounced(part=directive.part))
    if directive.proposes is not None:
        events.append(_proposed(directive, seq))
    return events


def _proposed(directive: Directive, seq: int) -> WrapUpProposed:
    choice = directive.end_cause is EndCause.SHORT_ANSWERS
    return WrapUpProposed(aim=directive.proposes or WrapUpAim.END, seq=seq, choice=choice)


def without_a_model(
    turn: Turn[Session], danger: Danger, decision: Decision, found: Findings, content: Content, *, unread: bool
) -> Reply:
    """Return the fixed reply if no model spoke: code's question, so that the user can leave; else an apology."""
    session, directive = decision.session, decision.directive
    degraded = Findings(events=(ReplyDegraded(),), flags=(DEGRADED,))
    if care := danger.fallback(session, found):
        return care
    if directive.concern and directive.follows:  # An evaded question about danger, which nobody else asks again.
        events = tuple(asked_for(turn.seq, directive, asks=True, whole=True))
        words = BETWEEN.join((danger.lines(session, failed=True), directive.follows))
        return Reply(words, Findings(events=events) + degraded)
    step = directive.ask is not None and step_of(directive.ask.slot) is not None
    if step or directive.proposes is WrapUpAim.END:
        messages = content.messages(session.locale, session.register_)
        short = directive.end_cause is EndCause.SHORT_ANSWERS
        received = "" if step or short else unsaid(messages.variants("received_leaving"), session)
        lines = danger.lines(session, failed=unread)
        words = BETWEEN.join(filter(None, (received, directive.follows, lines)))
        events = tuple(asked_for(turn.seq, directive, asks=True, whole=True))
        return Reply(words, Findings(events=events) + degraded)
    if unread or session.risk.level is not RiskLevel.NONE or session.risk.over_seq is not None:
        return danger.unread_reply(session)
    variants = content.messages(session.locale, session.register_).variants("degraded_reply")
    words = BETWEEN.join(filter(None, (unsaid(variants, session), danger.lines(session))))
    return Reply(words, degraded + Findings(events=(RepeatAsked(seq=turn.seq),)))
