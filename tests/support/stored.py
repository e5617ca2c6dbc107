"""Reads the SQLite file of a running server."""

from contextlib import asynccontextmanager

from local.embedded.database import SqliteDocumentDatabase
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.mapping import from_document
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId, MessageId
from shared.domain.turn import TurnRecord


class Stored:
    def __init__(self, database):
        self._database = database
        self._store = DocumentConversationStore(database, Session)

    async def session(self, conversation_id):
        return (await self._snapshot(conversation_id)).session.state

    async def mailbox(self, conversation_id):
        return (await self._snapshot(conversation_id)).mailbox.box

    async def _snapshot(self, conversation_id):
        snapshot = await self._store.load(ConversationId(conversation_id))
        assert snapshot is not None, "no such conversation"
        return snapshot

    async def turn(self, conversation_id, message_id):
        return await self._store.turn(ConversationId(conversation_id), MessageId(message_id))

    async def turns(self, conversation_id):
        found = await self.documents(conversation_id, "turns")
        records = [from_document(TurnRecord, document) for document in found]
        return sorted(records, key=lambda record: record.seq)

    async def documents(self, conversation_id, collection):
        prefix = f"sessions/{conversation_id}/{collection}/"
        tree = await self._database.tree(f"sessions/{conversation_id}")
        return [document for document in tree if document.path.startswith(prefix)]

    async def count(self):
        """Return how many documents there are at all."""
        ((documents,),) = await self._database.file.fetch("SELECT count(*) FROM documents")
        return int(documents)

    async def tasks(self, state):
        """Return the names of the queue's tasks in a state."""
        found = await self._database.file.fetch("SELECT id FROM tasks WHERE state = ? ORDER BY id", (state,))
        return [str(row[0]) for row in found]


@asynccontextmanager
async def stored(file):
    """Open a server's file without taking it from the server."""
    database = await SqliteDocumentDatabase.open(file, exclusive=False)
    try:
        yield Stored(database)
    finally:
        await database.aclose()
