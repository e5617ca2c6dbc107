"""Documents that a turn or a worker leaves beside the session, in its subcollections."""

from datetime import datetime
from typing import ClassVar

from shared.domain.model import Model


class Record(Model):
    """One document below `sessions/{id}`; it is created once and never changed by its writer.

    Attributes:
        collection: Name of the subcollection.
        record_id: Derived from what it is about, so that a repeated write meets itself.
    """

    collection: ClassVar[str]
    schema_version: int = 1
    record_id: str
    created_at: datetime
    expire_at: datetime


class AuditEntry(Model):
    """A line of the append-only audit trail: never any content.

    Attributes:
        rule: What caused it, e.g. a crisis rule's id.
        action: What was done.
    """

    audit_id: str
    at: datetime
    conversation_id: str
    rule: str
    level: str
    action: str
