"""Documents that a turn or a worker writes in subcollections of the session."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import Field

from shared.model import Model

AUDIT_RETENTION = timedelta(days=3 * 365 + 1)
"""How long an audit entry is kept: until claims for damages lapse three years after their discovery (Korean Civil Act
art. 766 (1)), and no longer (PIPA art. 21)."""


class Record(Model):
    """One document below `sessions/{id}`; created once and changed only as `Rewritten`.

    Attributes:
        collection: Name of the subcollection.
        record_id: Derived from its subject, so that a repeated write creates no second document.
        trace: W3C `traceparent` of its commit; work that it triggers continues the trace.
    """

    collection: ClassVar[str]
    record_id: str
    created_at: datetime
    expire_at: datetime
    trace: str | None = None


@dataclass(frozen=True)
class Rewritten:
    """A stored record with changed fields.

    Records are rewritten in a commit that checks the session's version, so no writer overwrites another.
    """

    record: Record


class AuditEntry(Model):
    """A line of the append-only audit trail, without any content and without the user's id or name.

    Attributes:
        conversation_id: Random, so that it identifies no person after an erasure; "" if the entry is about no single
            conversation.
        rule: Its cause, e.g. the id of a crisis rule.
        action: What was done.
        actor_id: The uid of the staff member who did it; None for the service itself.
    """

    audit_id: str
    at: datetime
    conversation_id: str
    rule: str
    level: str
    action: str
    actor_id: str | None = None
    expire_at: datetime = Field(default_factory=lambda entry: entry["at"] + AUDIT_RETENTION)
