import asyncio
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
    """Start child processes that run a script on a file; the fixture kills them."""
    processes = []

    async def spawn(script, file):
        pipe = asyncio.subprocess.PIPE
        command = (sys.executable, "-c", script, str(file))
        processes.append(await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=pipe, stderr=pipe))
        return processes[-1]

    yield spawn
    for process in processes:
        if process.returncode is None:
            process.kill()
        await process.communicate()
