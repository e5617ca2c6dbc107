"""Safety gate: rules before any model. A crisis is answered by the protocol, whatever the model could have said."""

from functions.chat.flows.counseling.progress import Progress
from shared.content.crisis_protocol import protocol_reply, says_safe
from shared.content.crisis_rules import crisis_rules
from shared.contracts.events import Token
from shared.domain.counseling.module import CRISIS_MODULE
from shared.domain.counseling.session_events import ProtocolReplied, RiskRaised, RiskWatched
from shared.domain.counseling.task_events import ModuleChanged
from shared.domain.records import AuditEntry
from shared.domain.safety.detector import detect
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.turn import Hook

AGENT = "safety_gate"
MINOR = "14_18"


def watch(progress: Progress) -> None:
    """Read the message with the crisis rules and note what they find."""
    turn = progress.turn
    finding = detect(turn.text, crisis_rules())
    turn.scope.ledger.ruled(AGENT, finding.outcome.value, ", ".join(finding.rule_ids) or "no rule spoke")
    if finding.outcome is CrisisOutcome.NONE:
        progress.note(RiskWatched(said_safe=says_safe(turn.text)))
    else:
        progress.note(RiskRaised(outcome=finding.outcome, rule_ids=finding.rule_ids, seq=turn.seq))


def needs_protocol(progress: Progress) -> CrisisOutcome | None:
    """Return what this turn's findings say that the protocol must answer, or None.

    Looks at the findings of this turn alone: an earlier crisis is followed through, not answered again.
    """
    found = [event for event in progress.events if isinstance(event, RiskRaised)]
    worst = max((event.outcome for event in found), key=lambda outcome: outcome.severity, default=CrisisOutcome.NONE)
    return worst if worst.needs_protocol else None


def answer(progress: Progress, outcome: CrisisOutcome) -> str:
    """Give the protocol's reply and leave its traces: module, hook, flag, audit without content."""
    turn, state = progress.turn, progress.state
    reply = protocol_reply(
        outcome, state.locale, state.register_, variant=state.protocol_replies, minor=state.age_band == MINOR
    )
    rules = tuple(rule for event in progress.events if isinstance(event, RiskRaised) for rule in event.rule_ids)
    progress.note(ProtocolReplied(), ModuleChanged(module_id=CRISIS_MODULE, reason=f"risk:{outcome.value}"))
    progress.flags.append("crisis")
    progress.hooks.append(Hook(type="crisis_detected", data={"level": outcome.value}))
    progress.audit.append(
        AuditEntry(
            audit_id=f"{state.conversation_id}-{turn.seq}-crisis",
            at=turn.now,
            conversation_id=state.conversation_id,
            rule=", ".join(rules),
            level=outcome.value,
            action="protocol_reply",
        )
    )
    turn.scope.ledger.ruled("counselor", None, "crisis protocol")
    turn.scope.emit(Token(text=reply))
    return reply
