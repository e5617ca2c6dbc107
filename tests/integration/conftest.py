"""A real server and a real simulator, each in a process of its own, over loopback."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support.chat_client import Person, signed_in
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import Stored, stored


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    """The model of a module's servers."""
    with ForkedSimulator(tmp_path_factory.mktemp("simulator")) as running:
        yield running


@pytest.fixture(scope="module")
def server(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server that a module's tests share; nobody kills it."""
    with ForkedServer(tmp_path_factory.mktemp("server"), simulator, CBOT_LOG_LEVEL="DEBUG") as running:
        yield running


@pytest.fixture
def model(simulator: Simulator) -> Simulator:
    """The simulator, healthy and instant."""
    simulator.reset()
    return simulator


@pytest.fixture
def mortal(model: Simulator, tmp_path: Path) -> Iterator[LocalServer]:
    """A server that a test may kill."""
    with ForkedServer(tmp_path, model, CBOT_LOG_LEVEL="DEBUG") as running:
        yield running


@pytest.fixture
async def person(server: LocalServer, model: Simulator) -> AsyncIterator[Person]:
    """Somebody new at the shared server."""
    assert server.alive, f"somebody has ended the server:\n{server.stderr[-2000:]}"
    async with signed_in(server.address) as signed:
        yield signed


@pytest.fixture
async def store(server: LocalServer) -> AsyncIterator[Stored]:
    """What the shared server has written."""
    async with stored(server.database) as opened:
        yield opened
