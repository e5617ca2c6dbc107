"""The whole port of the conversation store: adapters implement it, composition roots pass it on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.upload import PassageChunk, UploadedDocument
from shared.domain.conversation import Message
from shared.domain.erasure import Erasure
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import Mailbox
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.turn import TurnRecord
from shared.domain.usage import UsageEntry, Used
from shared.domain.user_document import UserDocument
from shared.domain.withdrawal import Withdrawal
from shared.ports.audit_store import AuditStore
from shared.ports.conversation_documents import S, Snapshot, TurnCommit, Versioned, VersionedMailbox, View
from shared.ports.conversation_reader import ConversationReader
from shared.ports.erasures import ErasureStore
from shared.ports.user_store import UserStore, VersionedUser


class SessionStore(Protocol[S]):
    """Sessions. Every write with a version raises `VersionConflict` if another writer was first.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def create(
        self,
        state: S,
        greeting: Message,
        view: View,
        user: VersionedUser[UserDocument] | None = None,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Store a new conversation with greeting, mailbox and its user's document in one commit.

        Raises:
            VersionConflict: The user's document was changed or erased; nothing was stored.
        """
        ...

    async def load(self, conversation_id: ConversationId) -> Snapshot[S] | None:
        """Return session and mailbox as of one point in time; None if the conversation does not exist."""
        ...

    async def save_state(
        self,
        session: Versioned[S],
        view: View,
        records: Sequence[Record | Rewritten] = (),
        user: VersionedUser[UserDocument] | None = None,
        audit: Sequence[AuditEntry] = (),
        messages: Sequence[Message] = (),
        usage: UsageEntry | None = None,
    ) -> None:
        """Write a state, its records, audit and its user's document in one commit.

        The user's document is written only if the conversation exists, so that late work restores nothing erased.

        Args:
            session: The state, with the version read.
            view: The client's view.
            records: New or changed records.
            user: The user's document, with the version read.
            audit: Audit entries.
            messages: Messages of the history with changed texts.
            usage: Usage added to the user's day.

        Raises:
            DocumentExists: A record or audit entry exists.
        """
        ...


class WithdrawalStore(Protocol):
    """Unfinished withdrawals; `UserStore.save_user` stores them."""

    async def withdrawal(self, withdrawal_id: str) -> Withdrawal | None:
        """Return an unfinished withdrawal."""
        ...

    async def withdrawals(self, until: datetime, after: datetime | None, limit: int) -> list[Withdrawal]:
        """Return unfinished withdrawals requested after `after` and at most `until`, oldest first."""
        ...

    async def end_withdrawal(self, withdrawal_id: str) -> None:
        """Delete a withdrawal; safe to repeat."""
        ...


class UploadStore(Protocol):
    """Uploaded documents with their passages.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def add_upload(
        self,
        upload: UploadedDocument,
        chunks: Sequence[PassageChunk],
        user: VersionedUser[UserDocument],
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Write an upload in one commit with its user's document, so that it is counted and erased with the user.

        Raises:
            VersionConflict: The user's document was changed or erased; nothing was written.
        """
        ...

    async def upload(self, document_id: str) -> UploadedDocument | None:
        """Return an upload without its passages."""
        ...

    async def uploaded(self, upload: UploadedDocument) -> AgreementDocument | None:
        """Return an upload with its passages; None if it was deleted since."""
        ...

    async def uploads_of(self, user_id: UserId) -> list[UploadedDocument]:
        """Return a user's uploads, newest first; unreadable ones are skipped."""
        ...

    async def hide_upload(self, erasure: Erasure, upload: UploadedDocument) -> None:
        """Hide an upload and delete its passages, but not its vectors; raises `DocumentExists` if it is hidden."""
        ...

    async def erase_upload(self, document_id: str) -> None:
        """Delete an upload with all below it, readable or not; safe to repeat."""
        ...


class TurnStore(Protocol[S]):
    """Mailboxes and turns. A write with a version raises `VersionConflict` if another writer was first.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def turn(self, conversation_id: ConversationId, message_id: MessageId) -> TurnRecord | None:
        """Return the record of a committed turn, or None."""
        ...

    async def mailbox(self, conversation_id: ConversationId) -> VersionedMailbox | None:
        """Return the mailbox without reading the session."""
        ...

    async def save_mailbox(self, mailbox: VersionedMailbox) -> VersionedMailbox:
        """Write the mailbox if its version is unchanged, and return it with the new version. This stores a message."""
        ...

    async def commit_turn(self, commit: TurnCommit[S]) -> Used | None:
        """Write the whole turn or nothing; return the user's usage of the day if the turn added to it.

        A reader that sees the new mailbox also sees the turn's record, even if the database shows the writes of a
        commit one after another.

        Raises:
            DocumentExists: The message, a record or an audit entry exists; `path` says which.
        """
        ...


class DueWork(Protocol[S]):
    """Finds due work.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def overdue(self, until: datetime, after: datetime | None, limit: int) -> list[S]:
        """Return sessions whose `due_since` is after `after` and at most `until`, oldest first."""
        ...

    async def waiting(self, until: datetime, after: datetime | None, limit: int) -> list[Mailbox]:
        """Return mailboxes whose `waiting_since` is after `after` and at most `until`, oldest first."""
        ...

    async def for_review(self, status: str, after: str | None, limit: int) -> list[S]:
        """Return sessions of a status in the reviewers' queue after a `review_place`, most pressing first."""
        ...


class ConversationStore(
    SessionStore[S],
    TurnStore[S],
    DueWork[S],
    ConversationReader,
    AuditStore,
    UserStore,
    ErasureStore,
    WithdrawalStore,
    UploadStore,
    Protocol[S],
):
    """One store for everything of a conversation; a turn's writes are one commit."""
