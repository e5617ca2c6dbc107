"""Finds what a crash or a lost event left undone, when no further turn of the conversation does, and queues it."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from shared.contracts.tasks import TaskKind, TaskPayload
from shared.domain.conversation import S
from shared.domain.errors import CBotError
from shared.domain.mailbox import Mailbox
from shared.domain.model import Model
from shared.engine.flow import House
from shared.engine.overdue import HandedOver
from shared.engine.update import update
from shared.observability.events import Event
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.task_queue import TaskQueue

log = logging.getLogger(__name__)

T = TypeVar("T")

GRACE = timedelta(minutes=2)
"""What fell due more recently is probably under way: longer than a job's model calls may take (`JOB_SECONDS`)."""
PATIENCE = timedelta(minutes=1)
"""A message that has waited longer than a turn can take (`TURN_SECONDS`) has nobody at work on it."""
PAGE = 100
MOST = 5_000
"""Conversations looked at in one sweep; the next one goes on."""


class Swept(Model):
    """What a sweep did.

    Attributes:
        handed_over: Sessions whose overdue work is queued.
        woken: Conversations whose waiting messages are queued to be answered.
        failed: Those of both kinds that could not be; the next sweep finds them again.
    """

    handed_over: int = 0
    woken: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Sweep(Generic[S]):
    """One look at all conversations.

    Attributes:
        grace: How long work may be due before it is taken for lost.
        patience: How long a message may wait before it is taken for forgotten.
    """

    store: ConversationStore[S]
    house: House[S]
    queue: TaskQueue
    clock: Clock
    grace: timedelta = GRACE
    patience: timedelta = PATIENCE

    async def run(self) -> Swept:
        """Queue what is overdue.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        now = self.clock.now()
        sessions = _pages(self.store.overdue, now - self.grace, lambda session: session.due_since)
        handed = [await self._tried(self._hand_over(session)) async for session in sessions]
        boxes = _pages(self.store.waiting, now - self.patience, lambda box: box.waiting_since)
        woken = [await self._tried(self._wake(box)) async for box in boxes if box.free(now)]
        swept = Swept(handed_over=sum(handed), woken=sum(woken), failed=(handed + woken).count(False))
        log_event(log, Event.SWEEP, handed_over=swept.handed_over, woken=swept.woken, failed=swept.failed)
        return swept

    async def _hand_over(self, session: S) -> None:
        for task in self.house.overdue(session):
            await self.queue.enqueue(task)
        await update(self.store, self.house, session.conversation_id, lambda _: (HandedOver[S](),), clock=self.clock)

    async def _wake(self, box: Mailbox) -> None:
        await self.queue.enqueue(
            TaskPayload(conversation_id=box.conversation_id, kind=TaskKind.ANSWER, seq=box.last_token, state_version=0)
        )

    @staticmethod
    async def _tried(step: Awaitable[None]) -> bool:
        try:
            await step
        except CBotError as error:
            log_event(log, Event.SWEEP_LEFT, error=error)
            return False
        return True


async def _pages(
    page: Callable[[datetime, datetime | None, int], Awaitable[list[T]]],
    until: datetime,
    since: Callable[[T], datetime | None],
) -> AsyncIterator[T]:
    """Yield what the store finds, page by page, `MOST` at most."""
    after: datetime | None = None
    for _ in range(MOST // PAGE):
        found = await page(until, after, PAGE)
        for item in found:
            yield item
        if len(found) < PAGE:
            return
        after = since(found[-1])
