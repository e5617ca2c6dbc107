"""Finds what a crash or a lost event left undone, when no further turn of the conversation does, and queues it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from shared.contracts.tasks import JobKind, TaskPayload, erasure_task, withdrawal_task
from shared.domain.conversation import S
from shared.domain.erasure import Erasure
from shared.domain.errors import CBotError
from shared.domain.mailbox import Mailbox
from shared.domain.withdrawal import Withdrawal
from shared.engine.flow import ServicePolicy
from shared.engine.overdue import PutOff
from shared.engine.unit_of_work import Decision, change
from shared.model import Model
from shared.observability.events import LogEvent
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
RETRIED_FOR = timedelta(minutes=15)
"""A message whose task's name is used and that still waits after that long was given up: attempts span ten minutes."""
ONCE_MORE = timedelta(hours=1)
"""How often a task for a waiting message is made anew, under another name."""
UNANSWERED_FOR = timedelta(days=2)
"""A message that could not be answered for so long is left to the next turn."""
PAGE = 50
"""Conversations looked at together."""
SECONDS = 200.0
"""For a whole sweep; the scheduler gives it 270 s. What is left is the next sweep's."""


class Swept(Model):
    """What a sweep did.

    Attributes:
        handed_over: Sessions whose overdue work the queue has.
        woken: Conversations whose waiting messages the queue has, to be answered.
        erasures: Unfinished erasures that the queue has.
        withdrawals: Unfinished withdrawals of consents that the queue has.
        failed: Those of all kinds that it could not be given; the next sweep finds them again.
    """

    handed_over: int = 0
    woken: int = 0
    erasures: int = 0
    withdrawals: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Sweep(Generic[S]):
    """One look at all conversations whose work is overdue. One is found again, later each time, until its work is done.

    Attributes:
        grace: How long work may be due before it is taken for lost.
        patience: How long a message may wait before it is taken for forgotten.
    """

    store: ConversationStore[S]
    policy: ServicePolicy[S]
    queue: TaskQueue
    clock: Clock
    grace: timedelta = GRACE
    patience: timedelta = PATIENCE

    async def run(self) -> Swept:
        """Queue what is overdue.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        ends, now = self.clock.monotonic() + SECONDS, self.clock.now()
        handed = await self._each(
            self.store.overdue, now - self.grace, None, lambda found: found.due_since, self._hand_over, ends
        )
        woken = await self._each(
            self.store.waiting,
            now - self.patience,
            now - UNANSWERED_FOR,
            lambda box: box.waiting_since,
            self._wake,
            ends,
        )
        erased = await self._each(
            self.store.erasures, now - self.patience, None, lambda found: found.requested_at, self._erase, ends
        )
        withdrawn = await self._each(
            self.store.withdrawals, now - self.patience, None, lambda found: found.requested_at, self._withdraw, ends
        )
        swept = Swept(
            handed_over=sum(handed),
            woken=sum(woken),
            erasures=sum(erased),
            withdrawals=sum(withdrawn),
            failed=(handed + woken + erased + withdrawn).count(False),
        )
        log_event(log, LogEvent.SWEEP, **swept.model_dump())
        return swept

    async def _each(
        self,
        page: Callable[[datetime, datetime | None, int], Awaitable[list[T]]],
        until: datetime,
        after: datetime | None,
        since: Callable[[T], datetime | None],
        step: Callable[[T], Awaitable[bool | None]],
        ends: float,
    ) -> list[bool]:
        """Take a step for everything that has waited for longer than is usual, page by page, the oldest first.

        Returns:
            True for each conversation whose tasks the queue has, False for each that failed; none for those that need
            nothing.
        """
        done: list[bool] = []
        while self.clock.monotonic() < ends:
            found = await page(until, after, PAGE)
            done += [had for had in await asyncio.gather(*(_tried(step(one)) for one in found)) if had is not None]
            if len(found) < PAGE:
                break
            after = since(found[-1])
        return done

    async def _hand_over(self, session: S) -> bool:
        """Queue a session's work, under another name once its own is used; of an expired session nothing is done."""
        again = int(session.due_since.timestamp()) if session.due_since else 0
        if session.expire_at > self.clock.now():
            for task in self.policy.overdue(session):
                if session.swept or not await self.queue.enqueue(task):
                    await self.queue.enqueue(task.model_copy(update={"again": again}))
        await self._put_off(session)
        return True

    async def _put_off(self, session: S) -> None:
        """Let the next look come later, unless the session has changed since it was read."""

        def decide(state: S) -> Decision[S, None]:
            unchanged = (state.due_since, state.swept) == (session.due_since, session.swept)
            return Decision(None, (PutOff(),) if unchanged else ())

        await change(self.store, self.policy, self.clock, session.conversation_id, decide)

    async def _wake(self, box: Mailbox) -> bool | None:
        if not box.free(self.clock.now()):
            return None
        task = TaskPayload(
            conversation_id=box.conversation_id, kind=JobKind.ANSWER, seq=box.last_token, state_version=0
        )
        await self._queue(task, box.waiting_since)
        return True

    async def _erase(self, erasure: Erasure) -> bool:
        await self._queue(erasure_task(erasure.erasure_id), erasure.requested_at)
        return True

    async def _withdraw(self, withdrawal: Withdrawal) -> bool:
        await self._queue(withdrawal_task(withdrawal.withdrawal_id), withdrawal.requested_at)
        return True

    async def _queue(self, task: TaskPayload, since: datetime | None) -> None:
        """Queue a waiting message's task under its name, or if that one was given up, once an hour under another."""
        now = self.clock.now()
        if not await self.queue.enqueue(task) and since is not None and now - since > RETRIED_FOR:
            await self.queue.enqueue(
                task.model_copy(update={"again": int(now.timestamp() / ONCE_MORE.total_seconds())})
            )


async def _tried(step: Awaitable[bool | None]) -> bool | None:
    try:
        return await step
    except CBotError as error:
        log_event(log, LogEvent.SWEEP_LEFT, error=error)
        return False
