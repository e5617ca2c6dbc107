"""Safety gate: rules before any model. A crisis is answered by the protocol, whatever the model could have said."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.abuse_rules import abuse_rules
from shared.content.crisis_protocol import MINOR, Voice, care_reply, leave_question, protocol_reply, says_safe
from shared.content.crisis_rules import crisis_rules
from shared.contracts.events import Token
from shared.domain.counseling.module import CRISIS_MODULE
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import ProtocolReplied, RiskRaised, RiskWatched, WrapUpProposed
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.records import AuditEntry
from shared.domain.safety.abuse import detect_abuse
from shared.domain.safety.detector import detect
from shared.domain.safety.follow_through import needs_now
from shared.domain.safety.levels import CrisisOutcome, RiskLevel, most_pressing, risk_level
from shared.domain.turn import Hook

AGENT = "safety_gate"
CRISIS_FLAG = "crisis"


def watch(progress: Progress) -> None:
    """Read the message with the rules and note what they find.

    What is less than a crisis does not stop the count of a follow-through: "죽을 생각은 없어요" is a concern by rule
    and a word of safety all the same.
    """
    turn = progress.turn
    crisis, abuse = detect(turn.text, crisis_rules()), detect_abuse(turn.text, abuse_rules())
    outcome = most_pressing(crisis.outcome, abuse.outcome)
    turn.scope.ledger.ruled(AGENT, outcome.value, ", ".join((*crisis.rule_ids, *abuse.rule_ids)) or "no rule spoke")
    followed, said_safe = progress.state.risk.follow_through, says_safe(turn.text)
    if risk_level(outcome) is RiskLevel.NONE or (followed and not outcome.needs_protocol):
        progress.note(RiskWatched(said_safe=said_safe))
    if crisis.outcome.needs_protocol or (crisis.outcome is CrisisOutcome.CONCERN and not (followed and said_safe)):
        progress.note(RiskRaised(outcome=crisis.outcome, rule_ids=crisis.rule_ids, seq=turn.seq))
    if abuse.outcome is not CrisisOutcome.NONE:
        found = RiskRaised(outcome=abuse.outcome, rule_ids=abuse.rule_ids, seq=turn.seq, needs=abuse.needs)
        progress.note(found)


def findings(progress: Progress) -> tuple[RiskRaised, ...]:
    """Return what this turn has found, by rules and by the model's second opinion.

    This turn alone counts: an earlier crisis is followed through, not answered again.
    """
    return tuple(event for event in progress.events if isinstance(event, RiskRaised))


def needs_protocol(progress: Progress) -> CrisisOutcome | None:
    """Return what this turn's findings say that the protocol must answer, or None."""
    worst = most_pressing(*(event.outcome for event in findings(progress)))
    return worst if worst.needs_protocol else None


def answer(progress: Progress, outcome: CrisisOutcome) -> str:
    """Give the protocol's reply; no model is asked."""
    turn, state = progress.turn, progress.state
    reply = protocol_reply(
        outcome, voice_of(state), state.protocol_replies, needs=needs_now(state.risk), said=turn.text
    )
    progress.note(ProtocolReplied(), ModuleChanged(module_id=CRISIS_MODULE, reason=f"risk:{outcome.value}"))
    progress.flags.append(CRISIS_FLAG)
    progress.hooks.append(Hook(type="crisis_detected", data={"level": outcome.value}))
    _record(progress, outcome, "protocol_reply")
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


def note_leaving(progress: Progress) -> None:
    """Leave a trace of somebody who ended the session while they were followed through."""
    risk = progress.state.risk
    if risk.follow_through:
        action, seq = "ended_in_follow_through", progress.turn.seq
        _record(progress, risk.outcome, action)
        progress.note(FlaggedForReview(reason=reason_of(risk.outcome), seq=seq, rules=(action,)))


def words_without_a_model(progress: Progress) -> str | None:
    """Return what safety requires to be said when no model can speak: ask about a concern, care in a follow-through."""
    state = progress.state
    if state.risk.follow_through:
        words = care_reply(voice_of(state), state.protocol_replies)
    elif any(event.outcome is CrisisOutcome.CONCERN for event in findings(progress)):
        words = protocol_reply(
            CrisisOutcome.CONCERN, voice_of(state), state.protocol_replies, needs=needs_now(state.risk)
        )
    else:
        return None
    progress.note(ProtocolReplied())
    return words


def voice_of(state: Session) -> Voice:
    """Return how the protocol speaks in this conversation."""
    return Voice(locale=state.locale, register_=state.register_, minor=state.age_band == MINOR)


def _record(progress: Progress, outcome: CrisisOutcome, action: str) -> None:
    """Leave the audit line, without content; whatever else is kept of a crisis, for the staff's review, belongs here.

    Args:
        progress: Its turn's `seq` names the message.
        outcome: What was answered.
        action: What was done.
    """
    turn, state = progress.turn, progress.state
    rules = tuple(rule for event in findings(progress) for rule in event.rule_ids)
    progress.audit.append(
        AuditEntry(
            audit_id=f"{state.conversation_id}-{turn.seq}-crisis",
            at=turn.now,
            conversation_id=state.conversation_id,
            rule=", ".join(rules),
            level=outcome.value,
            action=action,
        )
    )
