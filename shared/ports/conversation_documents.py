"""The stored forms of a conversation: session, mailbox, client's view and the writes of a turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from pydantic import JsonValue

from shared.domain.conversation import ConversationState, Message
from shared.domain.ids import ConversationId, UserId
from shared.domain.mailbox import Mailbox
from shared.domain.records import AuditEntry, Record
from shared.domain.turn import TurnRecord
from shared.domain.usage import UsageEntry
from shared.model import Model

S = TypeVar("S", bound=ConversationState)


@dataclass(frozen=True)
class Versioned(Generic[S]):
    """A state and the version it was read at."""

    state: S
    version: str


@dataclass(frozen=True)
class VersionedMailbox:
    """A mailbox and the version it was read at."""

    box: Mailbox
    version: str


@dataclass(frozen=True)
class Snapshot(Generic[S]):
    """Session and mailbox as read at the start of a turn."""

    session: Versioned[S]
    mailbox: VersionedMailbox


class View(Model):
    """The client's view of a conversation; its owner may read the document directly.

    Attributes:
        closing: The closing for the user; None until it is made.
        measures: Results of the measures, oldest first.
    """

    conversation_id: ConversationId
    user_id: UserId
    title: str
    status: str
    part: int
    progress: float
    last_message: str
    created_at: datetime
    updated_at: datetime
    expire_at: datetime
    state_snapshot: dict[str, JsonValue]
    closing: dict[str, JsonValue] | None = None
    measures: tuple[dict[str, JsonValue], ...] = ()


@dataclass(frozen=True)
class TurnCommit(Generic[S]):
    """All writes of one turn, in one commit; the record is created, so that no message is answered twice."""

    session: Versioned[S]
    mailbox: VersionedMailbox
    turn: TurnRecord
    messages: Sequence[Message]
    view: View
    records: Sequence[Record] = field(default_factory=tuple)
    audit: Sequence[AuditEntry] = field(default_factory=tuple)
    usage: UsageEntry | None = None
