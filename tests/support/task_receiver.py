"""An HTTP server that tasks are posted to, in the event loop of the test."""

import asyncio
from dataclasses import dataclass
from typing import Self

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.listening import InLoopServer, bound


@dataclass(frozen=True)
class Received:
    """A received request; the case of `headers` does not matter."""

    method: str
    path: str
    headers: Headers
    body: bytes

    @property
    def task(self) -> str:
        return self.headers["x-cloudtasks-taskname"]


class TaskReceiver:
    """Answers with the statuses that it is given, the last one for ever; may be held with `gate.clear()`.

    At most `busiest` requests were being answered at a time.
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
        return [request.task for request in self.received]

    def take(self) -> list[Received]:
        taken, self.received = self.received, []
        return taken

    async def __aenter__(self) -> Self:
        self._server = InLoopServer(self._app, bound(0))
        self.address = self._server.address
        self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.gate.set()
        await self._server.stop()

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
