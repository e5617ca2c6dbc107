"""Delivers a backlog at least once: due times, limits on concurrency and rate, retries with backoff."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic

from local.embedded.backlog import D, Deliveries, Outcome, Unanswered
from shared.engine.token_bucket import TokenBucket
from shared.ports.clock import Clock

log = logging.getLogger(__name__)

Send = Callable[[D], Awaitable[Outcome]]

# the longest nap: the machine may have slept, or another process may have added work
_NAP_S = 30.0
_STORE_PAUSE_S = 1.0
_PURGE_EVERY_S = 3600.0
# Cloud Tasks releases a used name after up to 24 hours:
# https://cloud.google.com/tasks/docs/reference/rest/v2/projects.locations.queues.tasks/create
_KEEP_FINISHED = timedelta(days=1)
# more doublings exceed every limit, and the range of a float
_MAX_DOUBLINGS = 64


@dataclass(frozen=True)
class DeliveryPolicy:
    """How deliveries are made and repeated.

    Attributes:
        max_attempts: After so many failures a delivery is given up; -1 for no limit.
        first_delay_s, factor, max_delay_s: The wait after the first failure, its growth, its limit; seconds.
        max_doublings: After so many growths by `factor` the wait grows by what it has come to, linearly.
        deadline_s: An attempt that takes longer has failed; Cloud Tasks' default is 10 minutes.
        concurrency: Deliveries at a time.
        rate, burst: Deliveries a second on average, and at once after a quiet time; None for no limit.
        copies: Send each delivery so often at once, to prove that its handler is idempotent.
        newest_first: Of what is due, send the newest first, to prove that handlers need no order.
    """

    max_attempts: int = 8
    first_delay_s: float = 0.5
    factor: float = 2.0
    max_doublings: int = _MAX_DOUBLINGS
    max_delay_s: float = 60.0
    deadline_s: float = 600.0
    concurrency: int = 4
    rate: float | None = None
    burst: int = 1
    copies: int = 1
    newest_first: bool = False

    def delay(self, failures: int) -> timedelta | None:
        """The wait after the given number of failures, at least 1; None to give up."""
        if 0 <= self.max_attempts <= failures:
            return None
        # https://cloud.google.com/tasks/docs/reference/rest/v2/projects.locations.queues#RetryConfig
        growth = self.factor ** min(failures - 1, self.max_doublings, _MAX_DOUBLINGS)
        growth *= max(failures - self.max_doublings, 1)
        return timedelta(seconds=min(self.first_delay_s * growth, self.max_delay_s))


class DeliveryLoop(Generic[D]):
    """Sends due deliveries. Deliveries that ran when the process ended are pending and sent again."""

    def __init__(self, backlog: Deliveries[D], send: Send[D], clock: Clock, policy: DeliveryPolicy) -> None:
        """Create a loop that is not started.

        Args:
            backlog: The deliveries.
            send: Makes one attempt and returns its outcome; 2xx is success, anything else and exceptions are failures.
            clock: Decides what is due.
            policy: Retries and limits.
        """
        self._backlog = backlog
        self._send = send
        self._clock = clock
        self._wake = asyncio.Event()
        self._progress = asyncio.Event()
        self._in_flight: dict[asyncio.Task[None], str] = {}
        self._runner: asyncio.Task[None] | None = None
        self._purged_at: float | None = None
        self._paused = False
        self._policy = policy
        self._bucket = None if policy.rate is None else TokenBucket(policy.rate, policy.burst, clock)

    def start(self) -> None:
        """Start delivering, beginning with what an earlier process left; call once, or again after `stop`."""
        if self._runner is None:
            self._runner = asyncio.create_task(self._run())

    async def stop(self, grace_s: float = 10.0) -> None:
        """Stop starting deliveries, wait for running ones at most `grace_s` seconds, then cancel them."""
        if self._runner is None:
            return
        self._runner.cancel()
        await asyncio.wait([self._runner])
        self._runner = None
        if self._in_flight:
            _, late = await asyncio.wait(self._in_flight, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def pause(self) -> None:
        """Stop starting deliveries until `resume`; running ones go on."""
        self._paused = True

    def resume(self) -> None:
        self._paused = False
        self._wake.set()

    def wake(self) -> None:
        """Look for due deliveries now."""
        self._wake.set()

    async def idle(self) -> None:
        """Wait until no delivery is due, running or waiting for a retry; ones scheduled for later may remain.

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
        """Start due deliveries within the limits; return the seconds until the next look."""
        await self._purge()
        if not self._may_start():
            return _NAP_S
        for job in await self._next_jobs():
            wait = max((job.due_at - self._clock.now()).total_seconds(), self._bucket.wait_s() if self._bucket else 0)
            if wait > 0:
                return min(wait, _NAP_S)
            if not self._may_start():
                break
            begun = await self._backlog.begin(job, self._clock.now())
            if begun is None:
                continue
            self._launch(begun)
            if self._bucket:
                self._bucket.take()
        return _NAP_S

    def _may_start(self) -> bool:
        return not self._paused and len(self._in_flight) < self._policy.concurrency

    async def _next_jobs(self) -> Sequence[D]:
        """Return the deliveries that may start, and one more, whose due time tells when to look again."""
        limit = self._policy.concurrency - len(self._in_flight) + 1
        leave_out = set(self._in_flight.values())
        if self._policy.newest_first:
            return await self._backlog.newest(self._clock.now(), limit, leave_out)
        return await self._backlog.earliest(limit, leave_out)

    async def _purge(self) -> None:
        elapsed = self._clock.monotonic()
        if self._purged_at is None or elapsed - self._purged_at >= _PURGE_EVERY_S:
            await self._backlog.purge(self._clock.now(), _KEEP_FINISHED)
            self._purged_at = elapsed

    def _launch(self, job: D) -> None:
        task = asyncio.create_task(self._deliver(job))
        self._in_flight[task] = job.id
        task.add_done_callback(self._landed)

    def _landed(self, task: "asyncio.Task[None]") -> None:
        del self._in_flight[task]
        self._wake.set()
        self._progress.set()
        self._progress = asyncio.Event()

    async def _deliver(self, job: D) -> None:
        await self._record(job, await self._attempt(job))

    async def _attempt(self, job: D) -> list[Outcome]:
        deadline_s = job.deadline_s or self._policy.deadline_s
        copies = [asyncio.ensure_future(self._send(job)) for _ in range(self._policy.copies)]
        try:
            async with asyncio.timeout(deadline_s):
                outcomes = await asyncio.gather(*copies, return_exceptions=True)
        except TimeoutError:
            log.warning("delivery %s took longer than %.0f s", job.id, deadline_s)
            return [Unanswered.LATE]
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                log.error("delivery %s broke off", job.id, exc_info=outcome)
        return [Unanswered.BROKEN if isinstance(outcome, BaseException) else outcome for outcome in outcomes]

    async def _record(self, job: D, outcomes: Sequence[Outcome]) -> None:
        while True:
            try:
                await self._settle(job, outcomes)
            except Exception:
                # the outermost edge: sending again would not help the store, so keep trying with this outcome
                log.exception("cannot record delivery %s; trying again in %.0f s", job.id, _STORE_PAUSE_S)
                await asyncio.sleep(_STORE_PAUSE_S)
            else:
                return

    async def _settle(self, job: D, outcomes: Sequence[Outcome]) -> None:
        now = self._clock.now()
        failed = [outcome for outcome in outcomes if not _succeeded(outcome)]
        if not failed:
            await self._backlog.finish(job, now, done=True)
            return
        failures = job.attempts + 1
        delay = self._policy.delay(failures)
        if delay is None:
            log.error("delivery %s given up after %d attempts: %s", job.id, failures, _said(outcomes))
            await self._backlog.finish(job, now, done=False)
            return
        log.warning(
            "delivery %s failed: %s; attempt %d in %.1f s",
            job.id,
            _said(outcomes),
            failures + 1,
            delay.total_seconds(),
        )
        await self._backlog.postpone(job, now, failed[0], due_at=now + delay)


def _succeeded(outcome: Outcome) -> bool:
    return isinstance(outcome, int) and 200 <= outcome < 300


def _said(outcomes: Sequence[Outcome]) -> str:
    """Format the outcome of each copy for the log."""
    return "/".join(str(outcome.value if isinstance(outcome, Unanswered) else outcome) for outcome in outcomes)
