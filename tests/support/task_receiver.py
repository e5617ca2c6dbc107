"""An HTTP server that tasks are posted to, in the event loop of the test."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import uvicorn
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


@dataclass(frozen=True)
class Received:
    """A request as it came; `headers` are found whatever their case."""

    method: str
    path: str
    headers: Headers
    body: bytes

    @property
    def task(self) -> str:
        """The id of the task."""
        return self.headers["x-cloudtasks-taskname"]


class TaskReceiver:
    """Answers with the statuses that it is given, the last one for ever; may be held with `gate.clear()`.

    Attributes:
        address: Where it listens, while it does.
        received: Every request, in the order they came.
        busiest: So many requests at most were being answered at a time.
    """

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses) or [200]
        self.received: list[Received] = []
        self.busy = 0
        self.busiest = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.address = ""

    @property
    def tasks(self) -> list[str]:
        """The ids of the tasks of all requests, in order."""
        return [request.task for request in self.received]

    def take(self) -> list[Received]:
        """Hand out what has come, and forget it."""
        taken, self.received = self.received, []
        return taken

    async def __aenter__(self) -> Self:
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._server = _Server(
            uvicorn.Config(self._app, interface="asgi3", lifespan="off", access_log=False, log_config=None)
        )
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.gate.set()
        self._server.ended.set()
        await self._serving

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        self.received.append(Received(request.method, request.url.path, request.headers, body))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            await self.gate.wait()
        finally:
            self.busy -= 1
        await Response(status_code=status)(scope, receive, send)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ended = asyncio.Event()

    async def main_loop(self) -> None:
        """Wait for the end itself: uvicorn looks every 100 ms, which every test would feel."""
        await self.on_tick(0)
        await self.ended.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
