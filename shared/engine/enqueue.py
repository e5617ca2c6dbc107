"""Enqueues due work. Work that the queue does not accept stays due by its watermark."""

import asyncio
import logging
from collections.abc import Sequence

from shared.contracts.tasks import TaskPayload
from shared.domain.errors import CBotError
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.task_queue import TaskQueue

log = logging.getLogger(__name__)

ENQUEUE_SECONDS = 3.0
"""Timeout for the queue, seconds."""
HEAD_START_SECONDS = 0.5
"""How long a user waits for the queue at most, seconds; it usually answers in a tenth of that. The platform throttles
an instance's CPU after its last response, so the tasks should be enqueued before the response ends."""

_under_way: set["asyncio.Task[None]"] = set()
"""Strong references to running tasks: the event loop holds weak ones only."""


async def begin_enqueueing(queue: TaskQueue, due: Sequence[TaskPayload]) -> "asyncio.Task[None]":
    """Start enqueueing and return after `HEAD_START_SECONDS` at most; the rest continues. Never fails."""
    enqueueing = asyncio.create_task(enqueue_due(queue, due))
    _under_way.add(enqueueing)
    enqueueing.add_done_callback(_under_way.discard)
    await asyncio.wait({enqueueing}, timeout=HEAD_START_SECONDS)
    return enqueueing


async def enqueue_due(queue: TaskQueue, due: Sequence[TaskPayload], *, seconds: float = ENQUEUE_SECONDS) -> None:
    """Enqueue the work within `seconds`; never fails."""
    try:
        async with asyncio.timeout(seconds):
            await asyncio.gather(*(_enqueue(queue, payload) for payload in due))
    except TimeoutError:
        log_event(log, LogEvent.ENQUEUE_SLOW, seconds=seconds)


async def _enqueue(queue: TaskQueue, payload: TaskPayload) -> None:
    try:
        await queue.enqueue(payload)
    except CBotError as error:
        log_event(log, LogEvent.ENQUEUE_FAILED, error=error, task=payload.name)
