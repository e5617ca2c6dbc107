import os
import signal
import sys

import psutil
import pytest

from local.emulators.children import Child, Command
from shared.domain.errors import ConfigError
from tests.support.polling import until

READY_THEN_SLEEP = "import time, sys; print('ready', flush=True); time.sleep(600)"


@pytest.fixture
async def child(tmp_path):
    """Make children; the fixture ends them."""
    made, said = [], []

    def make(code, ready="ready", **more):
        command = Command("part", [sys.executable, "-c", code], dict(os.environ), ready, **more)
        made.append(Child(command, tmp_path / "part.log", said.append))
        made[-1].said = said
        return made[-1]

    yield make
    for one in made:
        await one.end()


async def test_a_killed_child_is_restarted_and_reported(child):
    part = child(READY_THEN_SLEEP)
    await part.start()
    first = part.pid
    os.kill(first, signal.SIGKILL)
    await until(lambda: part.pid not in (None, first) and part.said)
    assert part.said == ["part ended (SIGKILL) and was started again"]


async def test_a_child_that_is_not_ready_in_time_is_ended(child):
    part = child("import time; time.sleep(600)", ready_s=0.1)
    with pytest.raises(ConfigError, match="was not ready after 0 s; it said last: it said nothing"):
        await part.start()
    assert part.pid is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
async def test_sigkill_of_the_parent_ends_its_child(child):
    parent = child(f"""
import asyncio, os, sys
from pathlib import Path
from local.emulators.children import Child, Command

async def main():
    command = Command("inner", [sys.executable, "-c", {READY_THEN_SLEEP!r}], dict(os.environ), "ready")
    inner = Child(command, Path(os.devnull), print)
    await inner.start()
    print("ready", inner.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
""")
    await parent.start()
    (inner,) = psutil.Process(parent.pid).children()
    os.kill(parent.pid, signal.SIGKILL)
    await until(lambda: not inner.is_running())
