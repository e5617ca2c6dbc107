"""Cloud Tasks' requests, Firestore's events and the scheduler's calls: parsed, handed to a job, answered.

A caller on the platform takes any 2xx as done and comes again after anything else. Its attempts have an end; work that
could succeed later stays due then, and the sweep queues it again.
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
"""Attempts of a task, the first included. One fewer than the queue's own limit (`DeliveryPolicy`, and so in Cloud
Tasks): a store that fails in the very moment of giving up is asked once more."""
EVENT_AGE = timedelta(hours=1)
"""A failing event older than this is left to the sweep: Eventarc counts no attempts and would go on for a day."""
RETRY_COUNT = "X-CloudTasks-TaskRetryCount"
EVENT_TIME = "ce-time"
MAX_EVENT = 1024 * 1024
"""Bytes: no document of Firestore is larger, https://firebase.google.com/docs/firestore/quotas"""

_AT_LAST = {JobResult.RETRY: "left_due", JobResult.POISON: "given_up"}
"""What becomes of work that its last attempt did not get done: only what can never succeed is given up."""
_SEVERITY = {JobResult.RETRY: logging.WARNING, JobResult.POISON: logging.ERROR}
_AGAIN = {JobResult.RETRY.value, JobResult.POISON.value, JobResult.BUSY.value}

T = TypeVar("T")

TaskWork = Callable[[TaskPayload], Awaitable[JobResult]]
EventWork = Callable[[CreatedDocument], Awaitable[JobResult]]
ScheduledWork = Callable[[], Awaitable[BaseModel]]
"""Returns what it did."""


@dataclass(frozen=True)
class AtLast:
    """What is written when the last attempt of a task has failed.

    Attributes:
        give_up: Writes what is left of work for which no answer of the model was of use.
        stand_in: Writes what is to stand until work that is left due is done.
    """

    give_up: TaskWork
    stand_in: TaskWork | None = None

    def of(self, result: JobResult) -> TaskWork | None:
        """Return what writes for a result."""
        return self.give_up if result is JobResult.POISON else self.stand_in


async def handle_task(
    request: Request,
    work: TaskWork,
    kinds: Collection[JobKind],
    door: InvokerAuth,
    at_last: AtLast | None = None,
    max_attempts: int = TASK_ATTEMPTS,
) -> Response:
    """Answer a task: 200 when it is done, moot, over or beyond help; 503 when it is to come again; never raises.

    Args:
        request: Cloud Tasks' request.
        work: Does the job.
        kinds: The kinds that this function takes; others are misrouted.
        door: Lets the caller in.
        at_last: Written after the last attempt. When that fails too, the task comes again, if the queue allows it.
        max_attempts: After so many the task is over: given up, or left due, for the sweep and the next turn.
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

    return await door.admit(request, handle)


async def handle_event(
    request: Request, collection: str, work: EventWork, now: datetime, door: InvokerAuth
) -> Response:
    """Answer an event: 200 when it is done, moot, given up or beyond help; 503 when it is to come again; never raises.

    Args:
        request: Eventarc's request.
        collection: Below a session; events of other documents are misrouted.
        work: Does the job.
        now: Tells how old the event is.
        door: Lets the caller in, and reads the event.
    """

    async def handle() -> Response:
        try:
            body = await read_bytes(request, MAX_EVENT)
        except InvalidInput as error:
            log_event(log, LogEvent.EVENT_POISON, error=error, kind=collection)
            return _poison(str(error))
        document = door.created(request.headers, body)
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

    return await door.admit(request, handle)


async def handle_schedule(request: Request, work: ScheduledWork, door: InvokerAuth) -> Response:
    """Answer a scheduled call: 200 with what was done; 503 when it is to come again; never raises.

    Args:
        request: Cloud Scheduler's request; its body is not looked at.
        work: Does the job.
        door: Lets the caller in.
    """

    async def handle() -> Response:
        done = await _unless_it_fails(work(), "schedule")
        return _answer(JobResult.RETRY.value) if done is None else answer(done)

    return await door.admit(request, handle)


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
    """Return the event's time, from its header, where Eventarc puts it; without one it is as if made now."""
    try:
        made = datetime.fromisoformat(request.headers.get(EVENT_TIME, ""))
    except ValueError:
        return now
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def _answer(outcome: str) -> Response:
    return said(outcome, 503 if outcome in _AGAIN else 200)


def _poison(why: str) -> Response:
    return JSONResponse({"result": "poison", "reason": why})
