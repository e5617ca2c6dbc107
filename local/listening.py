"""A port of this machine, and a server on it that says when it is ready and ends cleanly."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from shared.domain.errors import ConfigError

HOST = "127.0.0.1"
GRACE_SECONDS = 20
"""For answers under way when the server is asked to end."""


class QuietServer(uvicorn.Server):
    """Says when it is ready, and leaves signals to `serve`: uvicorn raises them again, which is no clean end."""

    def __init__(self, app: ASGIApp, ready_line: str) -> None:
        """Take the application, and what to print when it is served."""
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._ready_line = ready_line

    async def until_signal(self, listener: socket.socket) -> None:
        """Serve until SIGINT or SIGTERM, letting answers under way end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.end)
        await self.serve(sockets=[listener])

    def end(self) -> None:
        """Take no more, and end when the answers under way have."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            print(self._ready_line, flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bound(port: int) -> socket.socket:
    """Return a socket that listens on the port, 0 for a free one.

    Raises:
        ConfigError: The port cannot be used.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ConfigError(f"PORT: {HOST}:{port} cannot be used: {error.strerror}") from None
    # Connections inherit it. asyncio sets it on sockets that name TCP as their protocol only, which this one does not
    # (asyncio.base_events._set_nodelay); without it the first token waits 40 ms for the client's delayed ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
