"""`python -m tests.support.killed_erasure EMULATOR PROJECT USER ADDRESS NUMBER`: a chat function that dies erasing.

It asks itself to delete what is at an address, and is killed as soon as its write of that number is done, from 0: each
piece of a tree's removal is one. Without so many writes it ends by itself, with the status of the answer as its output.
"""

import asyncio
import os
import signal
import sys
from itertools import count

import httpx

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.domain.counseling.session import Session
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.service_parts import chat_parts


class DeadlyDatabase(FirestoreDocumentDatabase):
    """Kills its process after a write."""

    last = -1

    def deadly(self, last):
        """Let the write of this number be the last one."""
        self.last, self._numbers = last, count()

    async def commit(self, writes):
        versions = await super().commit(writes)
        if self.last >= 0 and next(self._numbers) == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        return versions


def chat_over(database, queue):
    """Compose the chat function over a database; a token is just the user's id."""
    store = DocumentConversationStore(database, Session)
    return chat_parts(ScriptedModel(), SystemClock(), store=store, queue=queue, ids=RandomIds())


def client_of(chat, user):
    transport = httpx.ASGITransport(chat.app)
    headers = {"Authorization": f"Bearer {user}"}
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


async def main(emulator, project, user, address, number):
    database = DeadlyDatabase(FirestoreConnection(project, emulator=emulator))
    database.deadly(int(number))
    async with client_of(chat_over(database, MemoryTaskQueue()), user) as client:
        sys.stdout.write(str((await client.delete(address)).status_code))
    await database.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
