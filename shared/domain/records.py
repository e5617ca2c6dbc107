"""Documents that a turn or a worker leaves beside the session, in its subcollections."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import Field

from shared.model import Model

AUDIT_RETENTION = timedelta(days=3 * 365 + 1)
"""How long an audit entry is kept: as long as a claim for damages can be raised by who knows of them (three years,
Korean Civil Act art. 766 (1)). Beyond its purpose nothing is kept (PIPA art. 21)."""


class Record(Model):
    """One document below `sessions/{id}`; it is created once and never changed, but by a job as `Rewritten`.

    Attributes:
        collection: Name of the subcollection.
        record_id: Derived from what it is about, so that a repeated write meets itself.
        trace: W3C `traceparent` of the work that made it, filled in at its commit: what it triggers goes on in there.
    """

    collection: ClassVar[str]
    record_id: str
    created_at: datetime
    expire_at: datetime
    trace: str | None = None


@dataclass(frozen=True)
class Rewritten:
    """A stored record in its new form.

    Only jobs rewrite records, and only in a commit over the version of their session: so none overwrites another's.
    """

    record: Record


class AuditEntry(Model):
    """A line of the append-only audit trail: never any content, and of who talked to CBot no id, name or key.

    Attributes:
        conversation_id: Random, so that once the conversation is erased it stands for nobody; empty when the entry is
            about no one conversation.
        rule: What caused it, e.g. a crisis rule's id.
        action: What was done.
        actor_id: The uid of the member of staff who did it; None for what the service does by itself.
        expire_at: Follows from `at`.
    """

    audit_id: str
    at: datetime
    conversation_id: str
    rule: str
    level: str
    action: str
    actor_id: str | None = None
    expire_at: datetime = Field(default_factory=lambda entry: entry["at"] + AUDIT_RETENTION)
