"""A requested erasure: its conversations are hidden, and the documents below them are still to be deleted."""

from datetime import datetime

from pydantic import Field

from shared.domain.conversation import RETENTION
from shared.domain.ids import ConversationId, UserId
from shared.domain.records import AuditEntry
from shared.model import Model


class Erasure(Model):
    """An unfinished erasure. Document: `erasures/{erasure_id}`; deleted when the erasure is complete.

    Attributes:
        erasure_id: The conversation's id. For everything: the id of its oldest conversation, or random.
        everything: All of a user's conversations and their own document; else one conversation, or one upload.
        conversations: The hidden conversations.
        documents: The hidden documents that the user uploaded.
        opened_at: Opening of the one conversation, since later ones may carry parts of it. None for everything.
        older_than: For everything: conversations created before this time are still to be hidden. None if none are
            left.
    """

    erasure_id: str
    user_id: UserId
    everything: bool
    conversations: tuple[ConversationId, ...]
    documents: tuple[str, ...] = ()
    requested_at: datetime
    opened_at: datetime | None = None
    older_than: datetime | None = None
    expire_at: datetime = Field(default_factory=lambda erasure: erasure["requested_at"] + RETENTION)

    @property
    def of(self) -> str:
        """What is erased."""
        one = "conversation" if self.conversations else "document"
        return "everything" if self.everything else one

    @property
    def audit_name(self) -> str:
        """Prefix of the ids of its audit lines, so that a repeated write creates no second line."""
        return f"{self.erasure_id}-erasure-of-everything" if self.everything else f"{self.erasure_id}-erasure"


def requested(erasure: Erasure) -> AuditEntry:
    action = "document_deleted" if erasure.of == "document" else "erasure_requested"
    return _line(erasure, "requested", erasure.requested_at, action=action)


def completed(erasure: Erasure, at: datetime) -> AuditEntry:
    """Return the audit line of the completion."""
    return _line(erasure, "completed", at, action="erasure_completed")


def _line(erasure: Erasure, step: str, at: datetime, *, action: str) -> AuditEntry:
    return AuditEntry(
        audit_id=f"{erasure.audit_name}-{step}",
        at=at,
        conversation_id=erasure.erasure_id if erasure.of == "conversation" else "",
        rule=erasure.of,
        level="",
        action=action,
    )
