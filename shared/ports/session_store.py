"""Port of sessions, written only if their version is unchanged."""

from collections.abc import Sequence
from typing import Protocol

from shared.domain.conversation import Message
from shared.domain.ids import ConversationId
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.usage import UsageEntry
from shared.domain.user_document import UserDocument
from shared.ports.conversation_documents import S, Snapshot, Versioned, View
from shared.ports.user_store import VersionedUser


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
