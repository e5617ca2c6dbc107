"""Conversations, turns and what hangs on them: compare-and-set, one commit a turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Generic, Protocol, TypeVar

from pydantic import JsonValue

from shared.domain.conversation import ConversationState, Message
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Mailbox
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.turn import TurnRecord
from shared.domain.usage import DailyUsage, UsageEntry, Used
from shared.domain.user_document import UserDocument
from shared.model import Model
from shared.ports.erasures import ErasureStore
from shared.ports.user_store import UserStore, VersionedUser
from shared.ports.withdrawals import WithdrawalStore

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
    """The one reading that a turn works on."""

    session: Versioned[S]
    mailbox: VersionedMailbox


class View(Model):
    """The client's view of a conversation; its owner may read the document directly.

    Attributes:
        closing: What the closing work left for the user; None until it is done.
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


@dataclass(frozen=True)
class TurnCommit(Generic[S]):
    """Everything that one turn writes, at once; its record is created, so that no message is answered twice."""

    session: Versioned[S]
    mailbox: VersionedMailbox
    turn: TurnRecord
    messages: Sequence[Message]
    view: View
    records: Sequence[Record] = field(default_factory=tuple)
    audit: Sequence[AuditEntry] = field(default_factory=tuple)
    usage: UsageEntry | None = None


class ConversationStore(UserStore, ErasureStore, WithdrawalStore, Protocol[S]):
    """The store. Every write over a version raises `VersionConflict` when somebody wrote first.

    All methods raise `StoreUnavailable` when the store does not answer.
    """

    async def create(
        self,
        state: S,
        greeting: Message,
        view: View,
        user: VersionedUser[UserDocument] | None = None,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Store a new conversation with greeting and mailbox, at once, and its user's document over its version.

        Raises:
            VersionConflict: The user's document was written or erased since it was read; nothing was stored.
        """
        ...

    async def load(self, conversation_id: ConversationId) -> Snapshot[S] | None:
        """Return session and mailbox from one point in time; None when there is no such conversation."""
        ...

    async def turn(self, conversation_id: ConversationId, message_id: MessageId) -> TurnRecord | None:
        """Return the record of a committed turn; what waits for one is in the mailbox."""
        ...

    async def mailbox(self, conversation_id: ConversationId) -> VersionedMailbox | None:
        """Return the mailbox alone, also where its session cannot be read."""
        ...

    async def save_mailbox(self, mailbox: VersionedMailbox) -> VersionedMailbox:
        """Write the mailbox over the version it bears; returns it with the new one. This is how a message is stored."""
        ...

    async def commit_turn(self, commit: TurnCommit[S]) -> Used | None:
        """Write the whole turn or nothing; return what its user has used up in the day, if the turn added to that.

        Who sees its mailbox sees its record, on databases too that show the writes of a commit one after another.

        Raises:
            DocumentExists: The message, or one of the records or audit entries, is there already; `path` says which.
        """
        ...

    async def save_state(  # noqa: PLR0913, PLR0917 - all that one commit may write
        self,
        session: Versioned[S],
        view: View,
        records: Sequence[Record | Rewritten] = (),
        user: VersionedUser[UserDocument] | None = None,
        audit: Sequence[AuditEntry] = (),
        messages: Sequence[Message] = (),
        usage: UsageEntry | None = None,
    ) -> None:
        """Write a state, records, audit, its user's document over the versions they bear (background work, ending, …).

        Messages are those whose words had to change after they were written. The usage is added to its user's day.

        A user's document is written only while the conversation is there: late work brings back nothing erased.

        Raises:
            DocumentExists: One of the records or audit entries is there already.
        """
        ...

    async def view(self, conversation_id: ConversationId) -> View | None:
        """Return the client's view."""
        ...

    async def views_of(self, user_id: UserId, before: datetime | None, limit: int) -> list[View]:
        """Return a user's conversations, the newest first, created before a time."""
        ...

    async def conversations_of(self, user_id: UserId, since: datetime | None = None) -> list[ConversationId]:
        """Return the ids of all of a user's conversations, the newest first, or of those created since a time.

        Nothing else of them is read: one that cannot be read is there as well.
        """
        ...

    async def messages(self, conversation_id: ConversationId, after: int, limit: int) -> list[Message]:
        """Return the messages of up to `limit` turns behind turn `after`, in order (-1: from the greeting)."""
        ...

    async def record(
        self, conversation_id: ConversationId, collection: str, record_id: str
    ) -> dict[str, JsonValue] | None:
        """Return one record as stored."""
        ...

    async def records(
        self, conversation_id: ConversationId, collection: str, status: str, newest: int
    ) -> list[dict[str, JsonValue]]:
        """Return the newest records of a status as stored, by their `seq`, the oldest of them first."""
        ...

    async def export(self, conversation_id: ConversationId) -> list[tuple[str, dict[str, JsonValue]]]:
        """Return every document of a conversation as (path, fields)."""
        ...

    async def overdue(self, until: datetime, after: datetime | None, limit: int) -> list[S]:
        """Return sessions whose `due_since` is behind `after` and at most `until`, the oldest first."""
        ...

    async def waiting(self, until: datetime, after: datetime | None, limit: int) -> list[Mailbox]:
        """Return mailboxes whose `waiting_since` is behind `after` and at most `until`, the oldest first."""
        ...

    async def for_review(self, status: str, after: str | None, limit: int) -> list[S]:
        """Return sessions of a status in the reviewers' queue, the most pressing first, behind a `review_place`."""
        ...

    async def add_audit(self, entry: AuditEntry, usage: UsageEntry | None = None) -> None:
        """Write a line of the audit trail that no turn writes, and add to a user's day with it.

        Raises:
            DocumentExists: It is there already.
        """
        ...

    async def usage(self, user_id: UserId, day: date) -> DailyUsage | None:
        """Return what a user has used up in a day; None where there is nothing."""
        ...
