"""Hands due work to the queue; what the queue does not take is due again by its watermark."""

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
"""A queue that takes longer is left alone."""
HEAD_START_SECONDS = 0.5
"""What a user waits for the queue at most; it usually answers in a tenth of that. The platform gives an instance no
processor once its last request is answered, so the tasks should be on their way before the answer is."""

_under_way: set["asyncio.Task[None]"] = set()
"""Holds the tasks whose callers went on: the event loop itself refers to them weakly."""


async def begin_enqueueing(queue: TaskQueue, due: Sequence[TaskPayload]) -> "asyncio.Task[None]":
    """Queue the work, and return after `HEAD_START_SECONDS` at most; what is left of it goes on; never fails."""
    enqueueing = asyncio.create_task(enqueue_due(queue, due))
    _under_way.add(enqueueing)
    enqueueing.add_done_callback(_under_way.discard)
    await asyncio.wait({enqueueing}, timeout=HEAD_START_SECONDS)
    return enqueueing


async def enqueue_due(queue: TaskQueue, due: Sequence[TaskPayload], *, seconds: float = ENQUEUE_SECONDS) -> None:
    """Queue the work, in at most so many seconds; never fails."""
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
