"""Cloud Tasks' requests and Firestore's events: parsed, handed to a job, answered; nothing is tried for ever."""

import logging
import re
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from shared.contracts.tasks import TaskKind, TaskPayload
from shared.domain.errors import CBotError, InvalidInput
from shared.domain.ids import ConversationId
from shared.engine.jobs import CreatedDocument, JobResult
from shared.observability.traces import trace_of
from shared.web.errors import TryAgain
from shared.web.requests import read_body

log = logging.getLogger(__name__)

TASK_ATTEMPTS = 7
"""Attempts of a task, the first included. One fewer than the queue's own limit (`DeliveryPolicy`, and so in Cloud
Tasks): a store that fails in the very moment of giving up is asked once more."""
EVENT_AGE = timedelta(hours=1)
"""A failing event older than this is given up: Eventarc counts no attempts and would go on for a day."""
RETRY_COUNT = "X-CloudTasks-TaskRetryCount"

_DOCUMENT = re.compile(r"(?:documents/)?sessions/([A-Za-z0-9_-]{1,64})/([a-z_]{1,40})/([A-Za-z0-9_-]{1,128})", re.ASCII)

TaskWork = Callable[[TaskPayload], Awaitable[JobResult]]
GiveUp = Callable[[TaskPayload], Awaitable[JobResult]]
"""Writes down what a task leaves that failed for the last time."""


class EventAttributes(Protocol):
    """What is needed of a CloudEvent; its body is not authoritative and not looked at."""

    def get(self, key: str, default: str | None = None, /) -> str | None:
        """Return an attribute."""
        ...


EventWork = Callable[[CreatedDocument], Awaitable[JobResult]]


async def handle_task(
    request: Request,
    work: TaskWork,
    kinds: Collection[TaskKind],
    give_up: GiveUp,
    max_attempts: int = TASK_ATTEMPTS,
) -> Response:
    """Answer a task: 200 when it is done, moot, given up or beyond help; 503 when it is to come again.

    Args:
        request: Cloud Tasks' request.
        work: Does the job.
        kinds: The kinds that this function takes; others are misrouted.
        give_up: Asked after the last attempt. When it fails too, the task comes again, if the queue allows it.
        max_attempts: After so many the task is given up.
    """
    try:
        payload = await read_body(request, TaskPayload)
    except InvalidInput as error:
        return _poison(str(error))
    if payload.kind not in kinds:
        return _poison(f"{payload.name}: {payload.kind.value} is no work of this function")
    attempt = _attempt(request)
    result = await _attempted(work(payload), payload.name)
    given_up = result is JobResult.RETRY and attempt >= max_attempts
    recorded = given_up and await _attempted(give_up(payload), payload.name) is not JobResult.RETRY
    said = "given_up" if recorded else result.value
    log.log(
        logging.ERROR if given_up else logging.INFO,
        "job kind=%s conversation=%s seq=%d attempt=%d result=%s",
        payload.kind.value,
        payload.conversation_id,
        payload.seq,
        attempt,
        said,
    )
    return JSONResponse({"result": said}, 503 if said == JobResult.RETRY.value else 200)


async def handle_event(event: EventAttributes, collection: str, work: EventWork, now: datetime) -> None:
    """Acknowledge an event by returning.

    Raises:
        TryAgain: It is to be delivered again.
    """
    document = created_document(event)
    if document is None or document.collection != collection:
        log.error("event poison: it is about no document of %s", collection)
        return
    result = await _attempted(work(document), f"{collection}/{document.document_id}")
    given_up = result is JobResult.RETRY and _age(event, now) > EVENT_AGE
    log.log(
        logging.ERROR if given_up else logging.INFO,
        "job kind=%s conversation=%s seq=%s result=%s",
        collection,
        document.conversation_id,
        document.document_id,
        "given_up" if given_up else result.value,
    )
    if result is JobResult.RETRY and not given_up:
        raise TryAgain(f"{collection} of {document.conversation_id} could not be handled now")


def created_document(event: EventAttributes) -> CreatedDocument | None:
    """Return what the event is about, from its `document` attribute or its subject; None for anything else."""
    for path in (event.get("document"), event.get("subject")):
        match = _DOCUMENT.fullmatch(path) if isinstance(path, str) else None
        if match:
            return CreatedDocument(ConversationId(match[1]), match[2], match[3])
    return None


async def _attempted(job: Awaitable[JobResult], name: str) -> JobResult:
    try:
        return await job
    except CBotError as error:
        log.warning("job %s failed: %s", name, error.code)
    except Exception as error:  # noqa: BLE001 - the outermost edge; logged with its traceback, without content
        log.error("job %s broke\n%s", name, trace_of(error))
    return JobResult.RETRY


def _attempt(request: Request) -> int:
    """Return the number of this attempt, from 1."""
    count = request.headers.get(RETRY_COUNT, "")
    return int(count) + 1 if count.isascii() and count.isdigit() else 1


def _age(event: EventAttributes, now: datetime) -> timedelta:
    try:
        made = datetime.fromisoformat(event.get("time") or "")
    except ValueError:
        return timedelta(0)
    return now - (made if made.tzinfo else made.replace(tzinfo=UTC))


def _poison(why: str) -> Response:
    log.error("task poison: %s", why)
    return JSONResponse({"result": "poison", "reason": why})
