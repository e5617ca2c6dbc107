"""Delivers tasks and triggers to the background functions in this process, over HTTP like the platform."""

import asyncio
from collections.abc import Mapping

import httpx
from starlette.types import ASGIApp

from local.functions import function_app
from shared.contracts.tasks import JobKind
from shared.contracts.triggers import TRIGGERS
from shared.engine.jobs import CreatedDocument
from shared.web.invoker_auth import InvokerAuth

_FUNCTION_OF_TASK = {
    JobKind.SUPERVISE: ("supervisor", "supervise"),
    JobKind.PLAN: ("planner", "plan"),
    JobKind.REVIEW: ("session_manager", "manage_session"),
    JobKind.SUMMARIZE: ("session_manager", "manage_session"),
    JobKind.CLOSE: ("session_manager", "manage_session"),
    JobKind.ANSWER: ("chat", "answer_waiting"),
    JobKind.ERASE: ("chat", "answer_waiting"),
    JobKind.WITHDRAW: ("chat", "answer_waiting"),
    JobKind.REMIND: ("chat", "answer_waiting"),
}
_SWEEP = ("session_manager", "sweep")


class AnyCaller:
    """`Invokers` for functions that only this process can call."""

    async def verify(self, authorization: str | None) -> None:
        """Accept the call."""


def local_invoker_auth(project: str) -> InvokerAuth:
    """Return the authentication of functions that only this process can call; events are `project`'s."""

    def created(headers: Mapping[str, str], body: bytes) -> CreatedDocument | None:
        # Imported at the first event, since protobuf takes 18 ms to import.
        from shared.adapters.eventarc.decode import CreatedEvents  # noqa: PLC0415

        return CreatedEvents(project)(headers, body)

    return InvokerAuth(AnyCaller(), created)


class InProcess:
    """HTTP clients of the functions, which are not reachable from outside."""

    def __init__(self) -> None:
        """Start without clients, since the functions are composed first."""
        self._clients: dict[str, httpx.AsyncClient] = {}

    def connect(self) -> None:
        """Create the clients."""
        targets = {*_FUNCTION_OF_TASK.values(), *(("planner", trigger) for trigger in TRIGGERS), _SWEEP}
        for function, target in targets:
            self._clients[target] = _client(function_app(function, target))

    async def aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()

    async def deliver_task(self, kind: JobKind, headers: dict[str, str], body: bytes) -> int:
        """Post a task to the function of its kind; return the HTTP status."""
        return await self._post(_FUNCTION_OF_TASK[kind][1], headers, body)

    async def deliver_event(self, trigger_id: str, headers: dict[str, str], body: bytes) -> int:
        """Post an event to its trigger's function; return the HTTP status."""
        return await self._post(trigger_id, headers, body)

    async def sweep_every(self, seconds: float) -> None:
        """Call the sweep periodically, like the scheduler; failures do not stop it."""
        while True:
            await asyncio.sleep(seconds)
            await self._post(_SWEEP[1], {}, b"")

    async def _post(self, target: str, headers: dict[str, str], body: bytes) -> int:
        response = await self._clients[target].post("/", headers=headers, content=body)
        return response.status_code


def _client(app: ASGIApp) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(transport=transport, base_url="http://function", timeout=None)  # noqa: S113 - DeliveryPolicy's
