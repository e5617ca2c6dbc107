import asyncio
import contextlib
import sys
from pathlib import Path

import pytest

from local.embedded.database import SqliteDocumentDatabase
from tests.fakes.settable_clock import SettableClock

ROOT = Path(__file__).parents[4]


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def file_path(tmp_path):
    return tmp_path / "data" / "cbot.sqlite3"


@pytest.fixture
async def database(file_path):
    database = await SqliteDocumentDatabase.open(file_path)
    yield database
    await database.aclose()


@pytest.fixture
async def spawn():
    """Start a child that runs a script on a file; it is killed in the end."""
    async with contextlib.AsyncExitStack() as stack:

        async def spawn(script, file):
            pipe = asyncio.subprocess.PIPE
            command = (sys.executable, "-c", script, str(file))
            process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=pipe, stderr=pipe)

            async def end():
                if process.returncode is None:
                    process.kill()
                await process.communicate()

            stack.push_async_callback(end)
            return process

        yield spawn
