"""Port of checkpoints: how far an unfinished turn has got, so that its retry goes on from there."""

from datetime import datetime
from typing import Protocol, TypeVar

from pydantic import BaseModel

from shared.domain.ids import ConversationId, MessageId

C = TypeVar("C", bound=BaseModel)


class Checkpoints(Protocol):
    """One checkpoint per message; the newest replaces the one before."""

    async def checkpoint(self, conversation_id: ConversationId, message_id: MessageId, model: type[C]) -> C | None:
        """Return a message's checkpoint; None if there is none that this code can read.

        Raises:
            StoreUnavailable: It could not be read now.
        """
        ...

    async def save_checkpoint(
        self, conversation_id: ConversationId, message_id: MessageId, state: BaseModel, expire_at: datetime
    ) -> None:
        """Keep a checkpoint until a time.

        Raises:
            StoreUnavailable: It is unknown whether it is kept.
        """
        ...

    async def end_checkpoint(self, conversation_id: ConversationId, message_id: MessageId) -> None:
        """Delete a checkpoint; safe to repeat."""
        ...
