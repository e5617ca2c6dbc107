"""Serves the simulator on a port, in the caller's event loop."""

import logging
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from local.gemini.app import build_app
from local.gemini.delivery import ConnectionCut
from local.gemini.latency import Latency
from local.gemini.simulator import Simulator
from local.listening import InLoopServer, bound


class RunningSimulator:
    """A running simulator; as an async context manager it stops at the end.

    Attributes:
        address: `http://host:port`, for `GeminiConnection.base_url`.
        simulator: Its state, for tests in the same process.
    """

    def __init__(self, simulator: Simulator, server: InLoopServer) -> None:
        self.address = server.address
        self.simulator = simulator
        self._server = server

    async def stop(self) -> None:
        """Cut running answers and close."""
        self.simulator.stopping.set()
        await self._server.stop()

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
    latency: Latency | None = None,
    stories: Path | None = None,
) -> RunningSimulator:
    """Start the simulator, which accepts connections when this returns.

    Args:
        host: Interface.
        port: 0 for a free one.
        latency: Latency; by default the environment's or the demo's (latency.py).
        stories: See `Simulator`; by default CBOT_SIMULATOR_STORIES, if set.

    Raises:
        ConfigError: The port is taken.
    """
    more = os.environ.get("CBOT_SIMULATOR_STORIES")
    simulator = Simulator(latency or Latency.from_environment(os.environ), stories or (Path(more) if more else None))
    server = InLoopServer(build_app(simulator), bound(port, host))
    logger = logging.getLogger("uvicorn.error")
    if _quiet_about_cuts not in logger.filters:
        logger.addFilter(_quiet_about_cuts)
    server.start()
    return RunningSimulator(simulator, server)


def _quiet_about_cuts(record: logging.LogRecord) -> bool:
    """Drop uvicorn's report of the exception that cuts a connection on purpose."""
    return not (record.exc_info and isinstance(record.exc_info[1], ConnectionCut))
