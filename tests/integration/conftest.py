"""A real server and a real simulator, each in a process of its own, over loopback."""

import pytest

from tests.support.chat_client import signed_in
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.stored import stored


@pytest.fixture(scope="module")
def simulator(tmp_path_factory):
    """The model of all servers of a module."""
    with ForkedSimulator(tmp_path_factory.mktemp("simulator")) as running:
        yield running


@pytest.fixture(scope="module")
def server(simulator, tmp_path_factory):
    """A server that a module's tests share; no test kills it."""
    with ForkedServer(tmp_path_factory.mktemp("server"), simulator, CBOT_LOG_LEVEL="DEBUG") as running:
        yield running


@pytest.fixture
def model(simulator):
    """The simulator, healthy and instant."""
    simulator.reset()
    return simulator


@pytest.fixture
def own_server(model, tmp_path):
    """A server that a test may kill."""
    with ForkedServer(tmp_path, model, CBOT_LOG_LEVEL="DEBUG") as running:
        yield running


@pytest.fixture
async def person(server, model):
    """A new user of the shared server."""
    assert server.alive, f"the shared server has ended:\n{server.stderr[-2000:]}"
    async with signed_in(server.address) as signed:
        yield signed


@pytest.fixture
async def store(server):
    """The documents of the shared server."""
    async with stored(server.database) as opened:
        yield opened
