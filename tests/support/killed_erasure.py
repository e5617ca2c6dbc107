"""`python -m tests.support.killed_erasure EMULATOR PROJECT USER ADDRESS NUMBER`: an erasure that is killed.

It deletes an address by its own API, and is killed as soon as its write of that number is done, from 0: each
piece of a tree's removal is one. With fewer writes it ends by itself, with the status of the answer as its output.
"""

import asyncio
import os
import signal
import sys
from itertools import count

from shared.adapters.firestore.connection import FirestoreConnection
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from tests.builders.composed import chat_over, client_of


class DeadlyDatabase(FirestoreDocumentDatabase):
    """Kills its process after the write of the number `last`."""

    last = 0

    async def commit(self, writes):
        versions = await super().commit(writes)
        if next(self.numbers) == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        return versions


async def main(emulator, project, user, address, number):
    database = DeadlyDatabase(FirestoreConnection(project, emulator=emulator))
    database.last, database.numbers = int(number), count()
    async with client_of(chat_over(database), user) as client:
        sys.stdout.write(str((await client.delete(address)).status_code))
    await database.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
