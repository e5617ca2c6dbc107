"""Hands due work to the queue; what the queue does not take is due again by its watermark."""

import asyncio
import logging
from collections.abc import Sequence

from shared.contracts.tasks import TaskPayload
from shared.domain.errors import CBotError
from shared.observability.events import Event
from shared.observability.log_event import log_event
from shared.ports.task_queue import TaskQueue

log = logging.getLogger(__name__)

ENQUEUE_SECONDS = 3.0
"""A queue that takes longer is left alone."""


async def enqueue_due(queue: TaskQueue, due: Sequence[TaskPayload], *, seconds: float = ENQUEUE_SECONDS) -> None:
    """Queue the work, in at most so many seconds; never fails."""
    try:
        async with asyncio.timeout(seconds):
            await asyncio.gather(*(_enqueue(queue, payload) for payload in due))
    except TimeoutError:
        log_event(log, Event.ENQUEUE_SLOW, seconds=seconds)


async def _enqueue(queue: TaskQueue, payload: TaskPayload) -> None:
    try:
        await queue.enqueue(payload)
    except CBotError as error:
        log_event(log, Event.ENQUEUE_FAILED, error=error, task=payload.name)
