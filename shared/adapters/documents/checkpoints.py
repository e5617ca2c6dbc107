"""`Checkpoints` over a `DocumentDatabase`: documents below the session, which are erased with it."""

from datetime import datetime

from pydantic import BaseModel

from shared.adapters.documents import paths
from shared.adapters.documents.mapping import from_document, to_document
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.domain.ids import ConversationId, MessageId
from shared.ports.checkpoints import C
from shared.ports.document_database import DocumentDatabase
from shared.ports.document_writes import Put, Remove


class DocumentCheckpoints:
    """The checkpoints of all conversations."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database

    async def checkpoint(self, conversation_id: ConversationId, message_id: MessageId, model: type[C]) -> C | None:
        """See the port."""
        (found,) = await self._database.get([paths.checkpoint(conversation_id, message_id)])
        if found is None:
            return None
        try:
            return from_document(model, found)
        except (DocumentTooNew, DocumentUnreadable):  # of another release: the turn begins anew
            return None

    async def save_checkpoint(
        self, conversation_id: ConversationId, message_id: MessageId, state: BaseModel, expire_at: datetime
    ) -> None:
        """See the port."""
        path = paths.checkpoint(conversation_id, message_id)
        await self._database.commit([Put(path, to_document(path, state, expire_at=expire_at))])

    async def end_checkpoint(self, conversation_id: ConversationId, message_id: MessageId) -> None:
        """See the port."""
        await self._database.commit([Remove(paths.checkpoint(conversation_id, message_id))])
