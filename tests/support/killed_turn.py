"""`python -m tests.support.killed_turn FILE USER CONVERSATION MESSAGE_ID TEXT NUMBER`: a turn that is killed.

It sends a message by the chat function's own API over an SQLite file, and is killed as soon as its write of that number
is done, from 0. With fewer writes it ends by itself.
"""

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path

from local.embedded.database import SqliteDocumentDatabase
from local.embedded.queue import EmbeddedTaskQueue
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.system_clock import SystemClock
from tests.builders.agreements import enough
from tests.builders.composed import chat_over, client_of
from tests.fakes.scripted_model import ScriptedModel

ANSWER = "담당자는 표시된 대목만 읽어요. [제17조]"
"""What the model says of an agreement."""


async def no_delivery(*_):
    raise AssertionError("the queue was not started")


class DeadlyDatabase(SqliteDocumentDatabase):
    """Kills its process after the write of the number `last`."""

    last, numbers = 0, count()

    async def commit(self, writes):
        written = await super().commit(writes)
        if next(self.numbers) == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        return written


def chat_on(database, **parts):
    """Compose the chat function over a file that keeps bookings, checkpoints and tasks, too."""
    scripts = {"agreement_evaluator": enough(), "agreement_responder": ANSWER}
    kept = {"appointments": DocumentAppointments(database), "checkpoints": DocumentCheckpoints(database)}
    parts = {**kept, "queue": EmbeddedTaskQueue(database.file, no_delivery, SystemClock()), **parts}
    return chat_over(database, model=ScriptedModel(scripts), **parts)


async def main(file, user, conversation_id, message_id, text, number):
    database = await DeadlyDatabase.open(Path(file), exclusive=False)
    database.last = int(number)
    async with client_of(chat_on(database), user) as client:
        body = {"message_id": message_id, "text": text}
        sys.stdout.write((await client.post(f"/api/conversations/{conversation_id}/chat", json=body)).text)
    await database.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
