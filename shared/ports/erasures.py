"""Port of erasures: hidden in one commit, then deleted piece by piece until complete."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol, TypeAlias

from shared.domain.erasure import Erasure
from shared.domain.ids import ConversationId, UserId
from shared.domain.user_document import UserDocument
from shared.ports.user_store import VersionedUser

ReadUser: TypeAlias = Callable[[], Awaitable[VersionedUser[UserDocument] | None]]


class ErasureStore(Protocol):
    """Unfinished erasures.

    Hiding deletes the documents that every reader and writer needs first (session, mailbox, view), and stores the
    erasure and its audit entry in the same commit.
    """

    async def hide_conversation(self, erasure: Erasure, read_without: ReadUser) -> None:
        """Hide a conversation, and remove its contents from its user's document.

        Args:
            erasure: The erasure.
            read_without: Reads the user's document and returns it without the conversation, with the version read; None
                if it holds nothing of it. Called after the session's version was read, so that a job that writes the
                user's document in between causes a conflict.

        Raises:
            VersionConflict: The session or the user's document changed; nothing was done.
            DocumentExists: The conversation is hidden already.
        """
        ...

    async def hide_everything(
        self, user_id: UserId, at: datetime, name: str, older_than: datetime | None = None
    ) -> Erasure | None:
        """Hide all of a user: their document, uploads, bookings and newest conversations, as many as fit into a commit.

        Args:
            user_id: The user.
            at: Time of the request.
            name: Id of the erasure if there is no conversation to name it after.
            older_than: Only hide conversations created before this time and bookings made until `at`, left over by an
                earlier call; the user's document, uploads and newer conversations stay.

        Returns:
            The erasure, with `older_than` if conversations are left over. None if there was nothing.
        """
        ...

    async def erasure(self, erasure_id: str) -> Erasure | None:
        """Return an unfinished erasure."""
        ...

    async def erasures_of(self, user_id: UserId) -> list[Erasure]:
        """Return a user's unfinished erasures, oldest first."""
        ...

    async def erasures(self, until: datetime, after: datetime | None, limit: int) -> list[Erasure]:
        """Return unfinished erasures requested after `after` and at most `until`, oldest first."""
        ...

    async def erase(self, conversation_id: ConversationId) -> None:
        """Delete a conversation with all its documents; safe to repeat."""
        ...

    async def end_erasure(self, erasure: Erasure, at: datetime) -> None:
        """Delete the erasure and write its completion to the audit trail; safe to repeat."""
        ...
