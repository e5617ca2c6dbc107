"""Messages that wait, and turns: one commit a turn."""

from typing import Protocol

from shared.domain.ids import ConversationId, MessageId
from shared.domain.turn import TurnRecord
from shared.domain.usage import Used
from shared.ports.conversation_documents import S, TurnCommit, VersionedMailbox


class TurnStore(Protocol[S]):
    """The mailbox and the turns. A write over a version raises `VersionConflict` when another writer was first.

    All methods raise `StoreUnavailable` when the store does not answer.
    """

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
