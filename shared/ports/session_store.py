"""Sessions, written over the version at which they were read."""

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
    """Sessions. Every write over a version raises `VersionConflict` when another writer was first.

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
