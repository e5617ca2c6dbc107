"""`python -m tests.support.killed_erasure EMULATOR PROJECT USER ADDRESS NUMBER`: a chat function that dies erasing.

It asks itself to delete what is at an address, and is killed as soon as its write of that number is done, from 0: each
piece of a tree's removal is one. Without so many writes it ends by itself, with the status of the answer as its output.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from itertools import count

import httpx

from functions.chat.composition import compose
from functions.chat.parts import ChatParts, Platform
from local.background import inner_door
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.settings import ChatSettings, ModelAccess
from shared.domain.counseling.session import Session
from shared.engine.model_health import ModelHealth
from shared.engine.watched_model import WatchedModel
from shared.ports.document_database import DocumentDatabase
from shared.ports.document_writes import Write
from shared.ports.task_queue import TaskQueue
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.service_parts import OneUser


class DeadlyDatabase(FirestoreDocumentDatabase):
    """Kills its process after a write."""

    last = -1

    def deadly(self, last: int) -> None:
        """Let the write of this number be the last one."""
        self.last, self._numbers = last, count()

    async def commit(self, writes: Sequence[Write]) -> list[str]:
        """See the port."""
        versions = await super().commit(writes)
        if self.last >= 0 and next(self._numbers) == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        return versions


def chat_over(database: DocumentDatabase, queue: TaskQueue) -> ChatParts:
    """Compose the chat function over a database; a token is just the user's id."""
    clock = SystemClock()
    platform = Platform(
        store=DocumentConversationStore(database, Session),
        queue=queue,
        identity=OneUser(),
        model=WatchedModel(ScriptedModel({}), ModelHealth(clock)),
        clock=clock,
        ids=RandomIds(),
        door=inner_door("demo-cbot"),
    )
    return compose(platform, ChatSettings(), ModelAccess())


def client_of(chat: ChatParts, user: str) -> httpx.AsyncClient:
    """Return a client of the chat function."""
    transport = httpx.ASGITransport(chat.app)
    headers = {"Authorization": f"Bearer {user}"}
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


async def main(emulator: str, project: str, user: str, address: str, number: str) -> None:
    """Delete, and die."""
    database = DeadlyDatabase(FirestoreConnection(project, emulator=emulator))
    database.deadly(int(number))
    async with client_of(chat_over(database, MemoryTaskQueue()), user) as client:
        sys.stdout.write(str((await client.delete(address)).status_code))
    await database.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
