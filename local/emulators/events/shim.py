"""Receives the Firestore emulator's events and delivers them like Eventarc: stored, signed, retried.

The emulator itself posts each event once, from one thread, and ignores the answer.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from local.embedded.backlog import Backlog, Job, Table
from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile
from local.emulators.events.received import NotAnEvent, Received
from local.listening import InLoopServer, bound
from local.loopback import NO_AUTHORITIES
from local.ports import HOST
from shared.domain.errors import StoreUnavailable
from shared.ports.clock import Clock

log = logging.getLogger(__name__)

TokenFor = Callable[[str], str]
"""Returns an OIDC token for an audience."""

FILE = "events.sqlite3"
A_DAY = DeliveryPolicy(max_attempts=1440, max_delay_s=60.0, deadline_s=120.0)
"""Retries for 24 hours, like Eventarc: https://cloud.google.com/eventarc/docs/retry-events"""


class EventShim:
    """An HTTP server for the emulator's `--functions_emulator`; accepted events are delivered, also after restarts.

    An event that arrives again while it waits is the same delivery; after its delivery it is delivered once more.
    """

    def __init__(
        self,
        directory: Path,
        targets: Mapping[str, str],
        token_for: TokenFor,
        clock: Clock,
        *,
        policy: DeliveryPolicy = A_DAY,
        delay: timedelta = timedelta(0),
    ) -> None:
        """Prepare without starting.

        Args:
            directory: Directory of the events, locked while the shim runs and used by nothing else.
            targets: Function URL by trigger id, which is also the audience of its tokens.
            token_for: Signs the tokens that functions require.
            clock: Decides what is due.
            policy: Retries and limits. `copies`, `newest_first` and `concurrency=1`, with `hold` and `release`,
                reproduce Eventarc's worst behaviour.
            delay: Delay of all deliveries.
        """
        self._directory = directory
        self._targets = dict(targets)
        self._token_for = token_for
        self._clock = clock
        self._policy = policy
        self._delay = delay
        self._running = AsyncExitStack()
        self._address = ""

    @property
    def address(self) -> str:
        """`host:port`, once started."""
        return self._address

    async def start(self, port: int = 0, *, held: bool = False, more: Sequence[BaseRoute] = ()) -> None:
        """Accept events on the port, 0 for a free one, and deliver them, beginning with what an earlier run left.

        Args:
            port: The emulator must be started with it.
            held: Only accept, until `release`.
            more: Further routes at the same address, e.g. the public keys of the tokens.

        Raises:
            ConfigError: The port is taken, or the directory is in use or not writable.
        """
        async with AsyncExitStack() as stack:
            listener = bound(port)
            stack.callback(listener.close)
            file = await SqliteFile.open(self._directory / FILE)
            stack.push_async_callback(file.aclose)
            # no proxy, since functions are on this machine
            self._http = httpx.AsyncClient(timeout=self._policy.deadline_s, trust_env=False, verify=NO_AUTHORITIES)
            stack.push_async_callback(self._http.aclose)
            self._backlog = Backlog(file, Table.OUTBOX)
            self._loop = DeliveryLoop(self._backlog, self._send, self._clock, self._policy)
            stack.push_async_callback(self.hold)
            server = InLoopServer(self._app(more), listener)
            stack.push_async_callback(server.stop)
            server.start()
            self._running = stack.pop_all()
        self._address = f"{HOST}:{listener.getsockname()[1]}"
        if not held:
            self.release()

    async def stop(self) -> None:
        """Stop accepting, finish running deliveries and close; undelivered events are kept. Safe to repeat."""
        await self._running.aclose()

    async def hold(self, grace_s: float = 10.0) -> None:
        """Keep accepting but stop delivering; running deliveries get `grace_s` seconds."""
        await self._loop.stop(grace_s)

    def release(self) -> None:
        self._loop.start()

    async def take(self, event: Received) -> None:
        """Store an event.

        Raises:
            StoreUnavailable: It cannot be stored.
        """
        if not await self._backlog.add(event.key, event.to_json(), self._clock.now() + self._delay):
            log.info("event %s came again while it waits", event.key)
        self._loop.wake()

    def wake(self) -> None:
        """Look for due events now."""
        self._loop.wake()

    async def idle(self) -> None:
        """Wait until every due event is delivered or given up."""
        await self._loop.idle()

    def _app(self, more: Sequence[BaseRoute]) -> Starlette:
        path = "/functions/projects/{project}/triggers/{trigger_id}"
        return Starlette(routes=[Route(path, self._accept, methods=["POST"]), *more])

    async def _accept(self, request: Request) -> Response:
        trigger_id = request.path_params["trigger_id"]
        if trigger_id not in self._targets:
            log.error("an event for the unknown trigger %s is lost", trigger_id)
            return Response(status_code=404)
        try:
            await self.take(Received.read(trigger_id, request.headers, await request.body()))
        except NotAnEvent as problem:
            log.error("an event for trigger %s is lost: %s", trigger_id, problem)
            return Response(status_code=400)
        except StoreUnavailable as error:
            log.error("an event for trigger %s is lost: %s", trigger_id, error)
            return Response(status_code=503)
        return Response(status_code=200)

    async def _send(self, job: Job) -> int:
        event = Received.from_json(job.payload)
        url = self._targets.get(event.trigger_id)
        if url is None:
            log.error("event %s waits for the unknown trigger %s", event.key, event.trigger_id)
            return 404
        headers = {**event.headers(), "authorization": f"Bearer {self._token_for(url)}"}
        try:
            answer = await self._http.post(url, headers=headers, content=event.body())
        except httpx.TransportError as error:
            log.warning("the function of %s does not answer: %s", event.trigger_id, type(error).__name__)
            return 503
        return answer.status_code
