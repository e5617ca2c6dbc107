"""Delivers a backlog at least once: due times, a limit at a time, retries with backoff."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from local.embedded.backlog import Backlog, Job
from shared.ports.clock import Clock

log = logging.getLogger(__name__)

Send = Callable[[Job], Awaitable[int]]

# the longest nap: the machine may have slept, or another process may have added work
_NAP_S = 30.0
_STORE_PAUSE_S = 1.0
_PURGE_EVERY_S = 3600.0
# Cloud Tasks releases a used name after up to 24 hours:
# https://cloud.google.com/tasks/docs/reference/rest/v2/projects.locations.queues.tasks/create
_KEEP_FINISHED = timedelta(days=1)


@dataclass(frozen=True)
class DeliveryPolicy:
    """How deliveries are made and repeated.

    Attributes:
        max_attempts: After so many failures a delivery is given up.
        first_delay_s, factor, max_delay_s: The wait after the first failure, its growth, its limit; seconds.
        deadline_s: An attempt that takes longer has failed; Cloud Tasks' default is 10 minutes.
        concurrency: Deliveries at a time.
        copies: Send each delivery so often at once, to prove that its handler is idempotent.
    """

    max_attempts: int = 8
    first_delay_s: float = 0.5
    factor: float = 2.0
    max_delay_s: float = 60.0
    deadline_s: float = 600.0
    concurrency: int = 4
    copies: int = 1

    def delay(self, failures: int) -> timedelta | None:
        """The wait after the given number of failures; None to give up."""
        if failures >= self.max_attempts:
            return None
        # 64 doublings exceed every limit, and more of them the range of a float
        growth = self.factor ** min(failures - 1, 64)
        return timedelta(seconds=min(self.first_delay_s * growth, self.max_delay_s))


class DeliveryLoop:
    """Sends what is due. What was under way when the process ended is still pending, and is sent again."""

    def __init__(self, backlog: Backlog, send: Send, clock: Clock, policy: DeliveryPolicy) -> None:
        """Make a loop that does nothing yet.

        Args:
            backlog: What to deliver.
            send: Makes one attempt and returns the HTTP status; 2xx is success, all else and exceptions are not.
            clock: Decides what is due.
            policy: How often and how fast.
        """
        self._backlog = backlog
        self._send = send
        self._clock = clock
        self._policy = policy
        self._wake = asyncio.Event()
        self._progress = asyncio.Event()
        self._in_flight: dict[str, asyncio.Task[None]] = {}
        self._runner: asyncio.Task[None] | None = None
        self._purged_at: float | None = None

    def start(self) -> None:
        """Begin to deliver, first what an earlier process left; to be called once, or again after `stop`."""
        if self._runner is None:
            self._runner = asyncio.create_task(self._run())

    async def stop(self, grace_s: float = 10.0) -> None:
        """Start nothing more, wait for what is under way at most `grace_s` seconds, then cancel it."""
        if self._runner is None:
            return
        self._runner.cancel()
        await asyncio.wait([self._runner])
        self._runner = None
        if self._in_flight:
            _, late = await asyncio.wait(self._in_flight.values(), timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def wake(self) -> None:
        """Look for due deliveries now."""
        self._wake.set()

    async def idle(self) -> None:
        """Wait until nothing is due, under way or waiting for a retry; what is scheduled for later may stay.

        Raises:
            StoreUnavailable: The backlog cannot be read.
        """
        while True:
            progress = self._progress
            if not await self._backlog.unsettled(self._clock.now()):
                return
            await progress.wait()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                pause = await self._start_due()
            except Exception:
                # the outermost edge: a loop that ended would leave work undone without a word
                log.exception("cannot read the backlog; trying again in %.0f s", _STORE_PAUSE_S)
                pause = _STORE_PAUSE_S
            with contextlib.suppress(TimeoutError):
                # not wait_for: in Python 3.11 it may swallow the cancellation of `stop`
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _start_due(self) -> float:
        """Start what may be started; returns the seconds until there may be more."""
        await self._purge()
        free = self._policy.concurrency - len(self._in_flight)
        if free <= 0:
            return _NAP_S
        for job in await self._backlog.earliest(free + 1, self._in_flight):
            wait = (job.due_at - self._clock.now()).total_seconds()
            if wait > 0:
                return min(wait, _NAP_S)
            if len(self._in_flight) >= self._policy.concurrency:
                break
            self._in_flight[job.id] = asyncio.create_task(self._deliver(job))
        return _NAP_S

    async def _purge(self) -> None:
        elapsed = self._clock.monotonic()
        if self._purged_at is None or elapsed - self._purged_at >= _PURGE_EVERY_S:
            await self._backlog.purge(self._clock.now(), _KEEP_FINISHED)
            self._purged_at = elapsed

    async def _deliver(self, job: Job) -> None:
        try:
            statuses = await self._attempt(job)
            await self._record(job, statuses)
        finally:
            del self._in_flight[job.id]
            self._wake.set()
            self._progress.set()
            self._progress = asyncio.Event()

    async def _attempt(self, job: Job) -> list[int | None]:
        """Send all copies; None for one that broke off."""
        copies = [asyncio.ensure_future(self._send(job)) for _ in range(self._policy.copies)]
        try:
            async with asyncio.timeout(self._policy.deadline_s):
                outcomes = await asyncio.gather(*copies, return_exceptions=True)
        except TimeoutError:
            log.warning("delivery %s took longer than %.0f s", job.id, self._policy.deadline_s)
            return [None]
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                log.error("delivery %s broke off", job.id, exc_info=outcome)
        return [None if isinstance(outcome, BaseException) else outcome for outcome in outcomes]

    async def _record(self, job: Job, statuses: list[int | None]) -> None:
        while True:
            try:
                await self._settle(job, statuses)
            except Exception:
                # the outermost edge: sending again would not help the store, so keep trying with this outcome
                log.exception("cannot record delivery %s; trying again in %.0f s", job.id, _STORE_PAUSE_S)
                await asyncio.sleep(_STORE_PAUSE_S)
            else:
                return

    async def _settle(self, job: Job, statuses: list[int | None]) -> None:
        now: datetime = self._clock.now()
        if all(status is not None and 200 <= status < 300 for status in statuses):
            await self._backlog.finish(job, now, done=True)
            return
        failures = job.attempts + 1
        delay = self._policy.delay(failures)
        if delay is None:
            log.error("delivery %s given up after %d attempts: %s", job.id, failures, statuses)
            await self._backlog.finish(job, now, done=False)
            return
        log.warning("delivery %s failed: %s; attempt %d in %s", job.id, statuses, failures + 1, delay)
        answered = any(status is not None and status < 500 for status in statuses)
        await self._backlog.postpone(job, due_at=now + delay, answered=answered)
