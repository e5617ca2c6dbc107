"""Authenticates callers of background functions."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from shared.domain.errors import IdentityUnavailable, Unauthenticated
from shared.engine.jobs import CreatedDocument
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.observability.trace_context import incoming
from shared.ports.identity import Invokers
from shared.web.broken import log_broken
from shared.web.errors import RequestTimeout
from shared.web.graceful_shutdown import BREAK_OFF_SECONDS, GRACE_SECONDS, drain_before_exit


class BrokenOff(Exception):
    """The instance stops; the caller should retry on another one."""


class JobsUnderWay:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Response]] = set()
        self._draining = asyncio.Event()

    async def run(self, handle: Callable[[], Awaitable[Response]]) -> Response:
        """Run a job and return its answer.

        Raises:
            BrokenOff: It did not start, or did not end in time.
        """
        if self._draining.is_set():
            raise BrokenOff
        task = asyncio.ensure_future(handle())
        self._tasks.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if self._draining.is_set() and caller is not None and not caller.cancelling():
                raise BrokenOff from None
            raise
        finally:
            self._tasks.discard(task)

    async def drain(self, seconds: float = GRACE_SECONDS) -> None:
        """Start no more jobs, wait for running ones at most `seconds`, and cancel the rest."""
        self._draining.set()
        for within in (seconds, BREAK_OFF_SECONDS):
            late = set(self._tasks)
            if late:
                _, late = await asyncio.wait(late, timeout=within)
            for task in late:
                task.cancel()


log = logging.getLogger(__name__)

B_co = TypeVar("B_co", covariant=True)

SECOND_AUTHORIZATION = "x-serverless-authorization"
"""Cloud Run's second header for a token: https://cloud.google.com/run/docs/authenticating/service-to-service"""

DecodeCreated = Callable[[Mapping[str, str], bytes], CreatedDocument | None]
"""Decodes an event's headers and body; returns None, with a log line, if it is about no document of ours."""


@dataclass(frozen=True)
class InvokerAuth:
    """Authenticates the callers of a background function.

    Attributes:
        invokers: The allowed callers. IAM first checks whether the caller may call at all; this checks which of the
            platform's services it is, and for which function its token was made.
        created: Decodes events of Firestore triggers.
        jobs: Runs the admitted jobs.
    """

    invokers: Invokers
    created: DecodeCreated
    jobs: JobsUnderWay = field(default_factory=JobsUnderWay)

    async def admit(self, request: Request, handle: Callable[[], Awaitable[Response]]) -> Response:
        """Answer with `handle` if the caller is allowed: else 405 or 401, and 503 on an unexpected error.

        The body is not read before. No exception is raised: functions-framework would print the traceback with any
        quoted content.
        """
        with incoming(request.headers):
            return await self._answered(request, handle)

    async def _answered(self, request: Request, handle: Callable[[], Awaitable[Response]]) -> Response:
        try:
            refusal = await self._refusal(request)
            return await self.jobs.run(handle) if refusal is None else refusal
        except (ClientDisconnect, RequestTimeout, BrokenOff):
            return said("retry", 503)
        except Exception as error:  # noqa: BLE001 - the outermost edge; logged with its traceback, without content
            log_broken(request.scope, error)
            return said("retry", 503)

    async def _refusal(self, request: Request) -> Response | None:
        if request.method != "POST":
            return said("method_not_allowed", 405, {"Allow": "POST"})
        if SECOND_AUTHORIZATION in request.headers:
            # Cloud Run would check this header and pass on the other unchecked; none of our callers sends it.
            log_event(log, LogEvent.CALLER_REFUSED, error="second_token")
            return said("unauthenticated", 401, {"WWW-Authenticate": "Bearer"})
        try:
            await self.invokers.verify(request.headers.get("authorization"))
        except Unauthenticated as error:
            log_event(log, LogEvent.CALLER_REFUSED, error=error)
            return said(error.code, 401, {"WWW-Authenticate": "Bearer"})
        except IdentityUnavailable as error:
            log_event(log, LogEvent.CALLER_UNKNOWN, error=error)
            return said("retry", 503)
        return None


@dataclass(frozen=True)
class BackgroundParts(Generic[B_co]):
    """Parts of a background function: the context of its jobs and the authentication of its callers."""

    context: B_co
    invoker_auth: InvokerAuth

    def begin(self) -> None:
        """Drain the jobs when the instance stops."""
        drain_before_exit(self.invoker_auth.jobs.drain)


def said(result: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer of a background function; its callers only read the status."""
    return JSONResponse({"result": result}, status, headers)
