import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.embedded.database import SqliteDocumentDatabase
from shared.engine.admission import Admission
from tests.fakes.engine import CONVERSATION, SmallService, incoming

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def shown(tmp_path):
    """Let something happen in a data directory, and return what is shown of it."""

    def show(happen, *arguments):
        async def fill():
            database = await SqliteDocumentDatabase.open(tmp_path / "cbot.sqlite3")
            try:
                service = SmallService(database)
                await service.open()
                await happen(service)
            finally:
                await database.aclose()

        asyncio.run(fill())
        command = [sys.executable, "-m", "local.inspect", *arguments]
        environment = os.environ | {"CBOT_DATA_DIR": str(tmp_path)}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    return show


async def answer(service, message_id, text):
    await (await service.instance().submit(incoming(message_id, text))).end()


def test_turns_are_shown_in_order_with_who_decided(shown):
    async def happen(service):
        await answer(service, "m1", "one")
        await answer(service, "m2", "two")

    lines = shown(happen)
    assert lines[0] == f"conversation {CONVERSATION}"
    assert [line.split(" · ")[0] for line in lines if line.startswith("turn")] == ["turn 1", "turn 2"]
    assert "  counselor  re: two" in lines
    assert any(line.startswith("  small") and "rule" in line for line in lines)


def test_what_waits_is_shown_behind_the_turns(shown):
    async def happen(service):
        await answer(service, "m1", "one")
        await Admission(service.store, service.clock, service.limits, "dead").admit(incoming("m2", "still waiting"))

    assert shown(happen, CONVERSATION)[-2:] == ["waiting", "  user       still waiting"]
