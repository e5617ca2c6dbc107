"""A clock that tests set, a poll with a deadline, and child processes to kill."""

import asyncio
import contextlib
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from local.embedded.database import SqliteDocumentDatabase

ROOT = Path(__file__).parents[4]


class SetClock:
    """Stands until it is moved."""

    def __init__(self):
        self.elapsed = timedelta(0)

    def now(self):
        return datetime(2026, 1, 31, 12, 0, tzinfo=UTC) + self.elapsed

    def monotonic(self):
        return self.elapsed.total_seconds()

    def move(self, **by):
        self.elapsed += timedelta(**by)


@pytest.fixture
def clock():
    return SetClock()


@pytest.fixture
def eventually():
    async def eventually(condition, deadline_s=10.0):
        async with asyncio.timeout(deadline_s):
            while not condition():  # noqa: ASYNC110 - nothing announces what is waited for
                await asyncio.sleep(0.005)

    return eventually


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
    """Start a child that runs a script with arguments; it is killed in the end."""
    async with contextlib.AsyncExitStack() as stack:

        async def spawn(script, *arguments):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                script,
                *map(str, arguments),
                cwd=ROOT,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )

            async def end():
                if process.returncode is None:
                    process.kill()
                await process.communicate()

            stack.push_async_callback(end)
            return process

        yield spawn
