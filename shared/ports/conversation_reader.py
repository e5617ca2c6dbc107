"""Conversations as they are read: by their users, for an export, by jobs."""

from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from shared.domain.conversation import Message
from shared.domain.ids import ConversationId, UserId
from shared.ports.conversation_documents import View


class ConversationReader(Protocol):
    """Reads conversations.

    All methods raise `StoreUnavailable` when the store does not answer.
    """

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
