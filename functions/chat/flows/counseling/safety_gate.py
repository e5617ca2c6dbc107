"""Safety gate: rules before any model. A crisis is answered by the protocol, whatever the model could have said."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.age_replies import under_14_behind, under_14_reply
from shared.content.crisis_answers import asks_directly
from shared.content.crisis_protocol import Voice, care_reply, leave_question, protocol_reply, resource_block
from shared.contracts.events import Token
from shared.domain.counseling.module import CRISIS_MODULE
from shared.domain.counseling.risk_events import AgeStated, DangerAsked, ProtocolReplied, RiskRaised
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.records import AuditEntry
from shared.domain.turn import Hook
from shared.safety.follow_through import needs_now
from shared.safety.levels import CrisisOutcome, Danger, danger_of, most_pressing
from shared.services.counseling.exits import exit_during_follow_up

AGENT = "safety_gate"
CRISIS_FLAG = "crisis"


def findings(progress: Progress) -> tuple[RiskRaised, ...]:
    """Return what this turn has found, by rules and by the model's second opinion.

    This turn alone counts: an earlier crisis is followed through, not answered again.
    """
    return tuple(event for event in progress.events if isinstance(event, RiskRaised))


def needs_protocol(progress: Progress) -> CrisisOutcome | None:
    """Return what this turn's findings say that the protocol must answer, or None."""
    worst = most_pressing(*(event.outcome for event in findings(progress)))
    return worst if worst.needs_protocol else None


def concerned(progress: Progress) -> bool:
    """Return whether this turn found a concern or more: it is asked about before anything is agreed to or ended."""
    return any(event.outcome.severity >= CrisisOutcome.CONCERN.severity for event in findings(progress))


def answer(progress: Progress, outcome: CrisisOutcome) -> str:
    """Give the protocol's reply; no model is asked."""
    turn, state = progress.turn, progress.state
    voice = voice_of(state)
    needs, said = needs_now(state.risk), progress.message.readings
    reply = protocol_reply(outcome, voice, state.protocol_replies, needs=needs, said=said)
    if state.under_14:
        reply = f"{reply}\n\n{under_14_behind(voice)}"
    if asks_directly(reply, last=True):  # as of somebody who worries about a friend: whether they think of it, too
        progress.note(DangerAsked(seq=turn.seq))
    progress.note(ProtocolReplied(), ModuleChanged(module_id=CRISIS_MODULE, reason=f"risk:{outcome.value}"))
    progress.flags.append(CRISIS_FLAG)
    progress.hooks.append(Hook(type="crisis_detected", data={"level": outcome.value}))
    record(progress, outcome, "protocol_reply")
    turn.scope.ledger.ruled("counselor", None, "crisis protocol")
    turn.scope.emit(Token(text=reply))
    return reply


def ask_whether_to_leave(progress: Progress) -> str:
    """Ask somebody in a follow-through who wants to stop whether to end here; the resources come with it.

    Nothing else is asked, so that a "yes" is no answer to anything but this; no model is needed.
    """
    turn, state = progress.turn, progress.state
    reply = leave_question(voice_of(state), state.protocol_replies, needs_now(state.risk))
    progress.note(ProtocolReplied(), WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq))
    turn.scope.ledger.ruled("counselor", None, "the user wants to stop in a follow-through")
    turn.scope.emit(Token(text=reply))
    return reply


def answer_under_14(progress: Progress) -> str:
    """Answer somebody under 14 without a model: why it does not go on here, and who is there for them.

    A follow-through goes on with them, in fixed words, and a concern is asked about.
    """
    turn, state = progress.turn, progress.state
    voice, count = voice_of(state), state.protocol_replies
    first = any(isinstance(event, AgeStated) for event in progress.events)
    if (words := words_without_a_model(progress)) is None:
        reply = under_14_reply(voice, count, state.risk.needs, first=first)
        progress.note(ProtocolReplied())
    else:
        followed = state.risk.follow_through
        block = (resource_block(voice, needs_now(state.risk)),) if followed else ()
        why = () if followed and not first else (under_14_behind(voice),)  # said once, when it began
        reply = "\n\n".join((words, *block, *why))
    turn.scope.ledger.ruled("counselor", None, "the user is under 14")
    turn.scope.emit(Token(text=reply))
    return reply


def note_leaving(progress: Progress) -> None:
    """Leave a trace of somebody who ended the session while they were followed through."""
    left = exit_during_follow_up(progress.state, progress.turn.seq, progress.turn.now)
    progress.note(*left.events)
    progress.audit.extend(left.audit)


def words_without_a_model(progress: Progress) -> str | None:
    """Return what safety requires to be said when no model can speak: ask about a concern, care in a follow-through."""
    state = progress.state
    if state.risk.follow_through:
        danger = danger_of(state.risk.outcome) or Danger.OWN_LIFE
        words = care_reply(voice_of(state), state.protocol_replies, danger)
    elif any(event.outcome is CrisisOutcome.CONCERN for event in findings(progress)):
        words = protocol_reply(
            CrisisOutcome.CONCERN, voice_of(state), state.protocol_replies, needs=needs_now(state.risk)
        )
        progress.note(DangerAsked(seq=progress.turn.seq))
    else:
        return None
    progress.note(ProtocolReplied())
    return words


def voice_of(state: Session) -> Voice:
    """Return how the protocol speaks in this conversation."""
    return Voice(
        locale=state.locale,
        register_=state.register_,
        minor=state.minor,
        hurt_at_home=state.risk.hurt_at_home,
        harming=CrisisOutcome.HARM_TO_OTHERS in state.risk.found,
    )


def record(progress: Progress, outcome: CrisisOutcome, action: str, *, rules: tuple[str, ...] = ()) -> None:
    """Leave the audit line, without content; whatever else is kept of a crisis, for the staff's review, belongs here.

    Args:
        progress: Its turn's `seq` names the message.
        outcome: What was answered.
        action: What was done.
        rules: What spoke, beside the findings.
    """
    turn, state = progress.turn, progress.state
    spoke = tuple(rule for event in findings(progress) for rule in event.rule_ids)
    place = "-".join((state.conversation_id, str(turn.seq), "crisis", str(len(progress.audit))))
    progress.audit.append(
        AuditEntry(
            audit_id=place.removesuffix("-0"),
            at=turn.now,
            conversation_id=state.conversation_id,
            rule=", ".join((*spoke, *rules)),
            level=outcome.value,
            action=action,
        )
    )
