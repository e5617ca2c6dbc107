"""Ports of this machine, and servers that report when they are ready and end in order."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from local.ports import HOST
from shared.domain.errors import ConfigError
from shared.web.graceful_shutdown import Drain, drain_before_exit

GRACE_SECONDS = 20
"""Timeout for running answers when the server stops, seconds."""
_IN_LOOP_GRACE_SECONDS = 5
HEAD_SECONDS = 15.0
"""Timeout of a request's head; in the cloud Google's front end enforces it."""


class HeadsInTime(H11Protocol):
    """Closes a connection without a complete request head in time.

    uvicorn's own limit is for idle connections between requests, and any byte resets it.
    """

    head_seconds = HEAD_SECONDS
    _due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._forget()

    def _expect(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:  # type: ignore[redundant-expr]  # None at first
            self._forget()
        elif self._due is None:
            self._due = self.loop.call_later(self.head_seconds, self.transport.close)

    def _forget(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


class QuietServer(uvicorn.Server):
    """Prints when it is ready; `serve` does not handle signals, since uvicorn raises them again."""

    def __init__(self, app: ASGIApp, ready_line: str = "", *, grace_seconds: int = GRACE_SECONDS) -> None:
        """Create the server with its line of readiness and the timeout for running answers at the end."""
        super().__init__(
            uvicorn.Config(
                app,
                http=HeadsInTime,
                interface="asgi3",  # uvicorn would treat a bound method as ASGI 2
                lifespan="off",
                access_log=False,
                log_config=None,
                server_header=False,
                timeout_graceful_shutdown=grace_seconds,
            )
        )
        self._ready_line = ready_line

    async def until_signal(self, listener: socket.socket, drain: Drain | None = None) -> None:
        """Serve until SIGINT or SIGTERM, letting running answers finish.

        Args:
            listener: The listening socket.
            drain: Awaited before the server handles the signal, like in the deployed functions.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
            signal.signal(number, self.handle_exit)
        if drain is not None:
            drain_before_exit(drain)
        await self.serve(sockets=[listener])

    def end(self) -> None:
        """Accept no more requests, and end after the running answers."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started and self._ready_line:
            print(self._ready_line, flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class InLoopServer:
    """A server inside the caller's event loop, which does not handle signals.

    Attributes:
        address: `http://host:port`.
    """

    def __init__(self, app: ASGIApp, listener: socket.socket, *, grace_seconds: int = _IN_LOOP_GRACE_SECONDS) -> None:
        """Prepare; the listener accepts connections already, `start` answers them."""
        host, port = listener.getsockname()
        self.address = f"http://{host}:{port}"
        self._server = _PromptServer(app, grace_seconds=grace_seconds)
        self._listener = listener
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._listener]))

    async def stop(self) -> None:
        """Accept no more requests, let running answers finish, and close the port; safe to repeat."""
        serving, self._serving = self._serving, None
        if serving is None:
            self._listener.close()
            return
        self._server.end()
        await serving


class _PromptServer(QuietServer):
    """Ends as soon as it is told to: uvicorn checks every 100 ms, which would slow down tests."""

    def __init__(self, app: ASGIApp, *, grace_seconds: int) -> None:
        super().__init__(app, grace_seconds=grace_seconds)
        self._ended = asyncio.Event()

    def end(self) -> None:
        super().end()
        self._ended.set()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self._ended.wait()


def bound(port: int, host: str = HOST) -> socket.socket:
    """Return a socket that listens on the port, 0 for a free one.

    Raises:
        ConfigError: The port cannot be used.
    """
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise ConfigError(f"PORT: {host}:{port} cannot be used: {error.strerror}") from None
    # Connections inherit it. asyncio sets it only on sockets that name TCP as their protocol, unlike this one
    # (asyncio.base_events._set_nodelay); without it the first token waits 40 ms for the client's delayed ACK.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
