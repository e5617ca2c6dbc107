"""Erasures: hidden in one commit, then carried out piece by piece, and repeated until they are done."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol, TypeAlias

from shared.domain.erasure import Erasure
from shared.domain.ids import ConversationId, UserId
from shared.domain.user_document import UserDocument
from shared.ports.user_store import VersionedUser

ReadUser: TypeAlias = Callable[[], Awaitable[VersionedUser[UserDocument] | None]]


class ErasureStore(Protocol):
    """The erasures that are not finished.

    Hiding deletes the documents that every reader looks at first (session, mailbox, view), over which all that belongs
    to a conversation is written, and keeps the erasure and its audit line in the same commit.
    """

    async def hide_conversation(self, erasure: Erasure, read_without: ReadUser) -> None:
        """Hide a conversation, and write its user's document without it.

        Args:
            erasure: What is to be erased.
            read_without: Reads the user's document; returns it without the conversation, over the version that was
                read, or None if there is nothing of it. It is asked after the session's version was read, over which
                the conversation is hidden: a job that meanwhile wrote into the user's document is a conflict.

        Raises:
            VersionConflict: Session or user's document were written since; nothing was done.
            DocumentExists: The conversation is hidden already.
        """
        ...

    async def hide_everything(
        self, user_id: UserId, at: datetime, name: str, older_than: datetime | None = None
    ) -> Erasure | None:
        """Hide all of a user: their document and their conversations, the newest first, as many as a commit may have.

        Args:
            user_id: The user.
            at: When it was asked for.
            name: Id of the erasure if there is no conversation to name it after.
            older_than: Only conversations created before this time, the user's document left alone: what an earlier
                call left over. Conversations that were opened since are not touched.

        Returns:
            The erasure; its `older_than` tells of those that were too many. None when there was nothing.
        """
        ...

    async def erasure(self, erasure_id: str) -> Erasure | None:
        """Return an erasure that is not finished."""
        ...

    async def erasures_of(self, user_id: UserId) -> list[Erasure]:
        """Return the erasures of a user that are not finished, the oldest first."""
        ...

    async def erasures(self, until: datetime, after: datetime | None, limit: int) -> list[Erasure]:
        """Return unfinished erasures requested behind `after` and at most `until`, the oldest first."""
        ...

    async def erase(self, conversation_id: ConversationId) -> None:
        """Delete a conversation and all that hangs on it; safe to repeat."""
        ...

    async def end_erasure(self, erasure: Erasure, at: datetime) -> None:
        """Delete the erasure, and write to the audit trail that it is done; the second time nothing changes."""
        ...
