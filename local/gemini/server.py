"""Serves the simulator on a port, in the event loop of the caller."""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import uvicorn

from local.gemini.app import build_app
from local.gemini.brain import Brain
from local.gemini.delivery import ConnectionCut
from local.gemini.latency import Latency
from local.gemini.simulator import Simulator


class RunningSimulator:
    """A simulator that accepts connections; as an async context manager it stops at the end.

    Attributes:
        address: `http://host:port`, for `GeminiConnection.base_url`.
        simulator: Its state, for tests in the same process.
    """

    def __init__(self, address: str, simulator: Simulator, server: "_Server", task: "asyncio.Task[None]") -> None:
        self.address = address
        self.simulator = simulator
        self._server = server
        self._task = task

    async def stop(self) -> None:
        """Cut what is still being answered, and close."""
        self.simulator.stopping.set()
        self._server.ended.set()
        await self._task

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


async def serve(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    brain: Brain | None = None,
    latency: Latency | None = None,
    seed: int = 0,
) -> RunningSimulator:
    """Start the simulator; it accepts connections when this returns.

    Args:
        host: Interface.
        port: 0 for a free one.
        brain: What it says.
        latency: How slow it is; by default the environment's or the demo's (latency.py).
        seed: See `Simulator`.

    Raises:
        OSError: The port is taken.
    """
    simulator = Simulator(brain, latency or Latency.from_environment(os.environ), seed)
    listener = socket.create_server((host, port))
    # asyncio sets this only on sockets that name their protocol; without it each small piece waits 40 ms for an ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = _Server(uvicorn.Config(build_app(simulator), lifespan="off", access_log=False, log_config=None))
    logger = logging.getLogger("uvicorn.error")
    if _quiet_about_cuts not in logger.filters:
        logger.addFilter(_quiet_about_cuts)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    return RunningSimulator(f"http://{host}:{listener.getsockname()[1]}", simulator, server, task)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ended = asyncio.Event()

    async def main_loop(self) -> None:
        """Wait for the end itself: uvicorn looks every 100 ms, which hundreds of tests would feel."""
        await self.on_tick(0)
        await self.ended.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the process's signals to whoever runs the loop: other servers live in it too."""
        yield


def _quiet_about_cuts(record: logging.LogRecord) -> bool:
    """Drop uvicorn's report of the exception by which we cut a connection on purpose."""
    return not (record.exc_info and isinstance(record.exc_info[1], ConnectionCut))
