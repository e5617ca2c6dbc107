"""Handles requests of Cloud Tasks, Firestore triggers and Cloud Scheduler.

The platform takes any 2xx as done and retries after anything else, up to a limit. Work that could succeed later then
stays due, and the sweep enqueues it again.
"""

import logging
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import CBotError, InvalidInput
from shared.engine.jobs import CreatedDocument, JobResult
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.web.answers import answer
from shared.web.invoker_auth import InvokerAuth, said
from shared.web.requests import read_body, read_bytes

log = logging.getLogger(__name__)

TASK_ATTEMPTS = 7
"""Attempts of a task, the first included. One fewer than the queue's limit (`DeliveryPolicy`, and so in Cloud Tasks),
so that giving up is retried once if the store fails."""
EVENT_AGE = timedelta(hours=1)
"""Failing events older than this are left to the sweep: Eventarc would retry for a day without counting attempts."""
RETRY_COUNT = "X-CloudTasks-TaskRetryCount"
EVENT_TIME = "ce-time"
MAX_EVENT = 1024 * 1024
"""Bytes; the largest Firestore document, https://firebase.google.com/docs/firestore/quotas"""

_AT_LAST = {JobResult.RETRY: "left_due", JobResult.POISON: "given_up"}
"""Outcome of work after its last failed attempt; only work that can never succeed is given up."""
_SEVERITY = {JobResult.RETRY: logging.WARNING, JobResult.POISON: logging.ERROR}
_AGAIN = {JobResult.RETRY.value, JobResult.POISON.value, JobResult.BUSY.value}

T = TypeVar("T")

TaskWork = Callable[[TaskPayload], Awaitable[JobResult]]
EventWork = Callable[[CreatedDocument], Awaitable[JobResult]]
ScheduledWork = Callable[[], Awaitable[BaseModel]]
"""Returns a report of what it did."""


@dataclass(frozen=True)
class AtLast:
    """Writes after the last failed attempt of a task.

    Attributes:
        give_up: Writes that the work is given up, because no model answer was usable.
        stand_in: Writes a stand-in for the result while the work stays due.
    """

    give_up: TaskWork
    stand_in: TaskWork | None = None

    def of(self, result: JobResult) -> TaskWork | None:
        return self.give_up if result is JobResult.POISON else self.stand_in


async def handle_task(
    request: Request,
    work: TaskWork,
    kinds: Collection[JobKind],
    invoker_auth: InvokerAuth,
    at_last: AtLast | None = None,
    max_attempts: int = TASK_ATTEMPTS,
) -> Response:
    """Answer a task: 200 if it is done, moot, over or invalid, 503 if it is to be retried; never raises.

    Args:
        request: Cloud Tasks' request.
        work: The job.
        kinds: Kinds of tasks of this function; others are misrouted.
        invoker_auth: Authenticates the caller.
        at_last: Writes after the last attempt; if that fails, the task is retried, within the queue's limit.
        max_attempts: After so many the task is given up, or left due for the sweep and the next turn.
    """

    async def handle() -> Response:
        try:
            payload = await read_body(request, TaskPayload)
        except InvalidInput as error:
            log_event(log, LogEvent.TASK_POISON, error=error)
            return _poison(str(error))
        if payload.kind not in kinds:
            log_event(log, LogEvent.TASK_POISON, error="misrouted", task=payload.name)
            return _poison(f"{payload.name}: {payload.kind.value} is no work of this function")
        attempt = _attempt(request)
        result = await _attempted(work(payload.model_copy(update={"attempt": attempt})), payload.name)
        over = result in _AT_LAST and attempt >= max_attempts
        write = at_last.of(result) if over and at_last else None
        written = write is None or await _attempted(write(payload), payload.name) is not JobResult.RETRY
        outcome = _AT_LAST[result] if over and written else result.value
        log_event(
            log,
            LogEvent.JOB,
            severity=_SEVERITY[result] if over else None,
            kind=payload.kind.value,
            conversation=payload.conversation_id,
            seq=payload.seq,
            attempt=attempt,
            result=outcome,
        )
        return _answer(outcome)

    return await invoker_auth.admit(request, handle)


async def handle_event(
    request: Request, collection: str, work: EventWork, now: datetime, invoker_auth: InvokerAuth
) -> Response:
    """Answer an event: 200 if it is done, moot, left due or invalid, 503 if it is to be retried; never raises.

    Args:
        request: Eventarc's request.
        collection: Subcollection of a session; events of other documents are misrouted.
        work: The job.
        now: Current time, to compute the event's age.
        invoker_auth: Authenticates the caller and decodes the event.
    """

    async def handle() -> Response:
        try:
            body = await read_bytes(request, MAX_EVENT)
        except InvalidInput as error:
            log_event(log, LogEvent.EVENT_POISON, error=error, kind=collection)
            return _poison(str(error))
        document = invoker_auth.created(request.headers, body)
        if document is None or document.collection != collection:
            log_event(log, LogEvent.EVENT_POISON, kind=collection)
            return _poison(f"it is about no document of {collection}")
        result = await _attempted(work(document), f"{collection}/{document.document_id}")
        over = result in _AT_LAST and now - _made(request, now) > EVENT_AGE
        outcome = _AT_LAST[JobResult.RETRY] if over else result.value
        log_event(
            log,
            LogEvent.JOB,
            severity=_SEVERITY[JobResult.RETRY] if over else None,
            kind=collection,
            conversation=document.conversation_id,
            document=document.document_id,
            result=outcome,
        )
        return _answer(outcome)

    return await invoker_auth.admit(request, handle)


async def handle_schedule(request: Request, work: ScheduledWork, invoker_auth: InvokerAuth) -> Response:
    """Answer a scheduled call: 200 with a report, 503 if it is to be retried; never raises.

    Args:
        request: Cloud Scheduler's request; its body is ignored.
        work: The job.
        invoker_auth: Authenticates the caller.
    """

    async def handle() -> Response:
        done = await _unless_it_fails(work(), "schedule")
        return _answer(JobResult.RETRY.value) if done is None else answer(done)

    return await invoker_auth.admit(request, handle)


async def _attempted(job: Awaitable[JobResult], name: str) -> JobResult:
    result = await _unless_it_fails(job, name)
    return JobResult.RETRY if result is None else result


async def _unless_it_fails(job: Awaitable[T], name: str) -> T | None:
    try:
        return await job
    except CBotError as error:
        log_event(log, LogEvent.JOB_FAILED, error=error, task=name)
    except Exception as error:  # noqa: BLE001 - the outermost edge; logged with its traceback, without content
        log_event(log, LogEvent.JOB_BROKE, error=error, task=name)
    return None


def _attempt(request: Request) -> int:
    """Return the number of this attempt, from 1."""
    count = request.headers.get(RETRY_COUNT, "")
    return int(count) + 1 if count.isascii() and count.isdigit() else 1


def _made(request: Request, now: datetime) -> datetime:
    """Return the event's time from its header; without one, now."""
    try:
        made = datetime.fromisoformat(request.headers.get(EVENT_TIME, ""))
    except ValueError:
        return now
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def _answer(outcome: str) -> Response:
    return said(outcome, 503 if outcome in _AGAIN else 200)


def _poison(why: str) -> Response:
    return JSONResponse({"result": "poison", "reason": why})
