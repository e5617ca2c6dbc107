"""Records that a session ended in a follow-through, in the chat or by the endpoint."""

from dataclasses import dataclass
from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedAfterSessionEnd
from shared.domain.event import Event
from shared.domain.records import AuditEntry

LEFT = "ended_in_follow_through"


@dataclass(frozen=True)
class ExitRecord:
    """What is written with the end; empty outside a follow-through."""

    events: tuple[Event[Session], ...] = ()
    audit: tuple[AuditEntry, ...] = ()


def exit_during_follow_up(state: Session, seq: int, at: datetime) -> ExitRecord:
    """Return the review flag, to apply after the end of the session, and the audit line, which has no content.

    `seq` is the last turn and names the audit line.
    """
    if not state.risk.follow_through:
        return ExitRecord()
    line = AuditEntry(
        audit_id=f"{state.conversation_id}-{seq}-left",
        at=at,
        conversation_id=state.conversation_id,
        rule="follow_through",
        level=state.risk.outcome.value,
        action=LEFT,
    )
    return ExitRecord((FlaggedAfterSessionEnd(reason=reason_of(state.risk.outcome), rules=(LEFT,)),), (line,))
