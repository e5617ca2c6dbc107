"""The running background jobs of an instance, which finish or are cancelled when it stops."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from shared.web.graceful_shutdown import BREAK_OFF_SECONDS, GRACE_SECONDS


class BrokenOff(Exception):
    """The instance stops; the caller should retry on another one."""


class JobsUnderWay:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Response]] = set()
        self._draining = asyncio.Event()

    async def run(self, handle: Callable[[], Awaitable[Response]]) -> Response:
        """Run a job and return its answer.

        Raises:
            BrokenOff: It did not start, or did not end in time.
        """
        if self._draining.is_set():
            raise BrokenOff
        task = asyncio.ensure_future(handle())
        self._tasks.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if self._draining.is_set() and caller is not None and not caller.cancelling():
                raise BrokenOff from None
            raise
        finally:
            self._tasks.discard(task)

    async def drain(self, seconds: float = GRACE_SECONDS) -> None:
        """Start no more jobs, wait for running ones at most `seconds`, and cancel the rest."""
        self._draining.set()
        for within in (seconds, BREAK_OFF_SECONDS):
            late = set(self._tasks)
            if late:
                _, late = await asyncio.wait(late, timeout=within)
            for task in late:
                task.cancel()
