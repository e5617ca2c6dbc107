"""Port of mailboxes and turns; each turn is one commit."""

from typing import Protocol

from shared.domain.ids import ConversationId, MessageId
from shared.domain.turn import TurnRecord
from shared.domain.usage import Used
from shared.ports.conversation_documents import S, TurnCommit, VersionedMailbox


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
