"""Finds work and messages that a crash or a lost event left undone, and enqueues them."""

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
from shared.engine.overdue import FIRST_PAUSE, PutOff
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
"""Age from which due work counts as lost; longer than a job's model calls may take (`JOB_SECONDS`)."""
PATIENCE = timedelta(minutes=1)
"""Age from which a waiting message counts as lost; longer than a turn can take (`TURN_SECONDS`)."""
ONCE_MORE = 4
"""Interval between new tasks for a waiting message or an unfinished erasure, in pauses."""
UNANSWERED_FOR = timedelta(days=2)
"""Age from which an unanswered message is left to the next turn."""
PAGE = 50
"""Conversations per page."""
SECONDS = 200.0
"""Limit of a whole sweep; the scheduler allows 270 s. The next sweep continues."""


class Swept(Model):
    """Result of a sweep.

    Attributes:
        handed_over: Sessions whose overdue work was enqueued.
        woken: Conversations whose waiting messages were enqueued.
        erasures: Unfinished erasures that were enqueued.
        withdrawals: Unfinished withdrawals of consent that were enqueued.
        failed: Items that could not be enqueued; the next sweep finds them again.
    """

    handed_over: int = 0
    woken: int = 0
    erasures: int = 0
    withdrawals: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Sweep(Generic[S]):
    """One pass over all conversations with overdue work.

    Attributes:
        grace: How long work may be due before it counts as lost.
        patience: How long a message may wait before it counts as lost.
        pause: How long work that was enqueued is given before the next look, which doubles each time, and a message
            or an erasure before it is enqueued under another name.
    """

    store: ConversationStore[S]
    policy: ServicePolicy[S]
    queue: TaskQueue
    clock: Clock
    grace: timedelta = GRACE
    patience: timedelta = PATIENCE
    pause: timedelta = FIRST_PAUSE

    async def run(self) -> Swept:
        """Enqueue overdue work.

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
        """Apply a step to every item that has waited too long, page by page, oldest first.

        Returns:
            True for each item whose tasks were enqueued, False for each that failed; items that need nothing are left
            out.
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
        """Enqueue a session's work, under another name if its own was used; expired sessions are skipped."""
        again = int(session.due_since.timestamp()) if session.due_since else 0
        if session.expire_at > self.clock.now():
            for task in self.policy.overdue(session):
                if session.swept or not await self.queue.enqueue(task):
                    await self.queue.enqueue(task.model_copy(update={"again": again}))
        await self._put_off(session)
        return True

    async def _put_off(self, session: S) -> None:
        """Postpone the next look, unless the session changed since it was read."""

        def decide(state: S) -> Decision[S, None]:
            unchanged = (state.due_since, state.swept) == (session.due_since, session.swept)
            return Decision(None, (PutOff(first=self.pause),) if unchanged else ())

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
        """Enqueue a task under its own name; if that was given up, under another name every four pauses."""
        now = self.clock.now()
        if not await self.queue.enqueue(task) and since is not None and now - since > self.pause:
            again = int(now.timestamp() / (ONCE_MORE * self.pause.total_seconds()))
            await self.queue.enqueue(task.model_copy(update={"again": again}))


async def _tried(step: Awaitable[bool | None]) -> bool | None:
    try:
        return await step
    except CBotError as error:
        log_event(log, LogEvent.SWEEP_LEFT, error=error)
        return False
