import asyncio
import os
import signal

import pytest

from shared.config.settings import ChatSettings
from shared.engine import turns
from shared.web import leaving
from shared.web.leaving import drain_before_exit
from tests.support.polling import until


class Uvicorn:
    def __init__(self):
        self.should_exit = False
        self.signals = 0

    def handle_exit(self, _number, _frame):
        self.should_exit = True
        self.signals += 1


@pytest.fixture
def handlers():
    """Leaves the signals as they were."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield before
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def server(handlers):
    server = Uvicorn()
    signal.signal(signal.SIGTERM, server.handle_exit)
    return server


@pytest.fixture
def drained():
    return asyncio.Event()


@pytest.fixture
async def draining(server, drained):
    """Drains until the event is set; the signal has come."""
    begun = asyncio.Event()

    async def drain():
        begun.set()
        await drained.wait()

    drain_before_exit(drain)
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(10):
        await begun.wait()


async def test_the_server_hears_of_the_signal_once_the_work_is_done(server, draining, drained):
    assert not server.should_exit
    drained.set()
    await until(lambda: server.should_exit)
    assert server.signals == 1


async def test_a_second_signal_is_the_servers_at_once(server, draining):
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(0)
    assert server.should_exit


async def test_without_a_server_that_listens_for_signals_nothing_changes(handlers):
    async def drain():
        """Nothing is there to drain."""

    present = {number: signal.getsignal(number) for number in handlers}
    drain_before_exit(drain)
    assert {number: signal.getsignal(number) for number in handlers} == present


def test_grace_break_off_and_flush_fit_into_the_ten_seconds_before_the_platform_kills():
    grace = max(ChatSettings().grace_s, leaving.GRACE_SECONDS)
    break_off = max(turns.BREAK_OFF_SECONDS, leaving.BREAK_OFF_SECONDS)
    assert grace + break_off + leaving.FLUSH_SECONDS <= 10 - 0.5, "the process takes some time to end, too"
