"""The document databases that contract suites run on, each initially empty."""

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from local.embedded.database import SqliteDocumentDatabase
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.ports.document_database import DocumentDatabase
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.support.emulators import new_project

Connect = Callable[[], Awaitable[DocumentDatabase]]
"""Makes one more client of the same database; the opener closes it."""
Opener = Callable[[], AbstractAsyncContextManager[Connect]]

DATABASES = ("memory", "sqlite", pytest.param("firestore", marks=pytest.mark.emulator))
"""For a fixture's `params`."""


def opener(request: pytest.FixtureRequest) -> Opener:
    """Return the opener that a fixture's parameter names; the emulator is started only for `firestore`."""
    emulator = request.getfixturevalue("firestore_emulator") if request.param == "firestore" else ""
    return partial(_opened, request.param, emulator)


@asynccontextmanager
async def _opened(kind: str, emulator: str) -> AsyncIterator[Connect]:
    memory, project = MemoryDocumentDatabase(), new_project()
    with tempfile.TemporaryDirectory() as directory:
        async with AsyncExitStack() as stack:

            async def connect() -> DocumentDatabase:
                if kind == "memory":
                    return memory
                if kind == "sqlite":
                    database = await SqliteDocumentDatabase.open(Path(directory) / "cbot.sqlite3", exclusive=False)
                else:
                    database = FirestoreDocumentDatabase.connect(project, emulator=emulator)
                stack.push_async_callback(database.aclose)
                return database

            yield connect
