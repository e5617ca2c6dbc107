"""Port for reading conversations."""

from datetime import datetime
from typing import Protocol

from pydantic import JsonValue

from shared.domain.conversation import Message
from shared.domain.ids import ConversationId, UserId
from shared.ports.conversation_documents import View


class ConversationReader(Protocol):
    """Reads conversations.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def view(self, conversation_id: ConversationId) -> View | None: ...

    async def views_of(self, user_id: UserId, before: datetime | None, limit: int) -> list[View]:
        """Return a user's conversations created before a time, newest first."""
        ...

    async def conversations_of(self, user_id: UserId, since: datetime | None = None) -> list[ConversationId]:
        """Return the ids of a user's conversations, newest first, optionally only those created since a time.

        The documents are not decoded, so unreadable ones are included.
        """
        ...

    async def messages(self, conversation_id: ConversationId, after: int, limit: int) -> list[Message]:
        """Return the messages of up to `limit` turns after turn `after`, in order (-1: from the greeting)."""
        ...

    async def record(
        self, conversation_id: ConversationId, collection: str, record_id: str
    ) -> dict[str, JsonValue] | None:
        """Return one record as stored."""
        ...

    async def records(
        self, conversation_id: ConversationId, collection: str, status: str, newest: int
    ) -> list[dict[str, JsonValue]]:
        """Return the newest records of a status as stored, in ascending order of `seq`."""
        ...

    async def export(self, conversation_id: ConversationId) -> list[tuple[str, dict[str, JsonValue]]]:
        """Return every document of a conversation as (path, fields)."""
        ...
