"""Serves an application on a port, in the event loop of the caller."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

_GRACE_SECONDS = 5


class InLoopServer:
    """A server beside other work of the loop; it leaves the process's signals to whoever runs the loop."""

    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        """Prepare; the listener takes connections already, `start` answers them."""
        config = uvicorn.Config(
            app,
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        self._server = _Server(config)
        self._listener = listener
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to answer."""
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._listener]))

    async def stop(self) -> None:
        """Take no more, let what is being answered end, and close the port; safe to repeat."""
        serving, self._serving = self._serving, None
        if serving is None:
            self._listener.close()
            return
        self._server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
