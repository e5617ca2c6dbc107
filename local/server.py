"""Binds the port, serves the machine, and ends cleanly."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator, Mapping

import uvicorn

from local.machine import machine
from shared.config.settings import LocalSettings, ModelAccess
from shared.domain.errors import ConfigError

HOST = "127.0.0.1"
GRACE_SECONDS = 20
"""For answers under way when the server is asked to end."""


class _Server(uvicorn.Server):
    """Says when it is ready, and leaves signals to `serve`: uvicorn raises them again, which is no clean end."""

    ready_line = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            print(self.ready_line, flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(settings: LocalSettings, access: ModelAccess, environment: Mapping[str, str]) -> None:
    """Serve until SIGINT or SIGTERM.

    Raises:
        ConfigError: The port is taken, the data directory is in use, or the agents' settings are wrong.
    """
    listener = _bound(settings.port)
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    async with machine(settings, access, environment) as built:
        config = uvicorn.Config(
            built.app,
            lifespan="off",
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=GRACE_SECONDS,
            server_header=False,
        )
        server = _Server(config)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, _end, server)
        server.ready_line = f"CBot is ready at {address} ({built.model_note})"
        await server.serve(sockets=[listener])


def _bound(port: int) -> socket.socket:
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ConfigError(f"PORT: {HOST}:{port} cannot be used: {error.strerror}") from None
    # Connections inherit it. asyncio sets it on sockets that name TCP as their protocol only, which this one does not
    # (asyncio.base_events._set_nodelay); without it the first token waits 40 ms for the client's delayed ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _end(server: uvicorn.Server) -> None:
    server.should_exit = True
