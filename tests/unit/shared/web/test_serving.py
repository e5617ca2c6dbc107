"""How a function builds its parts, and how it shuts down."""

import asyncio
import json
import logging
import os
import signal

import pytest
from starlette.exceptions import HTTPException

from shared.config.settings import ChatSettings
from shared.domain.errors import ConfigError
from shared.engine import turns
from shared.web import graceful_shutdown
from shared.web.composition import WRONG_ENVIRONMENT, Composition
from tests.builders.logs import logging_kept
from tests.support.polling import until

IN_THE_CLOUD = {"K_SERVICE": "chat"}
SECRET = "top-secret-key"


def misconfigured():
    raise ConfigError("CBOT_PROJECT: Field required")


def broken():
    raise ValueError(f"cannot be read: {SECRET}")


@pytest.fixture
def loggers():
    """Restore logging, which a composition configures in the cloud."""
    with logging_kept():
        yield


def test_a_misconfigured_function_answers_503_and_logs_the_reason(caplog):
    with caplog.at_level(logging.CRITICAL), pytest.raises(HTTPException) as refused:
        Composition(misconfigured).serving()
    assert refused.value.status_code == 503
    (line,) = caplog.messages
    assert "misconfigured" in line
    assert "CBOT_PROJECT: Field required" in line


def test_in_the_cloud_parts_are_built_at_startup_and_started_once_at_the_first_request(loggers):
    built, begun = [], []
    composition = Composition(lambda: built.append(1) or built, begun.append)
    composition.build_in_cloud(IN_THE_CLOUD)
    assert (built, begun) == ([1], [])
    assert composition.serving() is composition.serving() is built
    assert (built, begun) == ([1], [built])


@pytest.mark.parametrize(("build", "says"), [(misconfigured, "CBOT_PROJECT: Field required"), (broken, "ValueError")])
def test_a_function_that_cannot_be_built_in_the_cloud_exits_with_one_log_line_of_the_reason(
    loggers, capsys, build, says
):
    with pytest.raises(SystemExit) as ended:
        Composition(build).build_in_cloud(IN_THE_CLOUD)
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == WRONG_ENVIRONMENT
    assert (json.loads(line)["event"], json.loads(line)["severity"]) == ("misconfigured", "CRITICAL")
    assert says in line
    assert SECRET not in line


class Uvicorn:
    def __init__(self):
        self.should_exit = False
        self.signals = 0

    def handle_exit(self, _number, _frame):
        self.should_exit = True
        self.signals += 1


@pytest.fixture
async def draining_server():
    """A server that has received its first SIGTERM, and the event that ends its drain."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    server, begun, drained = Uvicorn(), asyncio.Event(), asyncio.Event()
    signal.signal(signal.SIGTERM, server.handle_exit)

    async def drain():
        begun.set()
        await drained.wait()

    graceful_shutdown.drain_before_exit(drain)
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(10):
        await begun.wait()
    yield server, drained
    for number, handler in handlers.items():
        signal.signal(number, handler)


async def test_the_server_receives_sigterm_after_the_work_is_drained(draining_server):
    server, drained = draining_server
    assert not server.should_exit
    drained.set()
    await until(lambda: server.should_exit)
    assert server.signals == 1


async def test_a_second_sigterm_reaches_the_server_at_once(draining_server):
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(0)
    assert draining_server[0].should_exit


def test_grace_break_off_and_flush_fit_into_the_ten_seconds_before_sigkill():
    grace = max(ChatSettings().grace_s, graceful_shutdown.GRACE_SECONDS)
    break_off = max(turns.BREAK_OFF_SECONDS, graceful_shutdown.BREAK_OFF_SECONDS)
    assert grace + break_off + graceful_shutdown.FLUSH_SECONDS <= 10 - 0.5, "the process takes some time to end, too"
