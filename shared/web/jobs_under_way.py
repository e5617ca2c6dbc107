"""The background jobs of an instance, which are let end or broken off when it is asked to end."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from shared.web.leaving import BREAK_OFF_SECONDS, GRACE_SECONDS


class BrokenOff(Exception):
    """The instance is about to end; the caller is to come again, to another one."""


class JobsUnderWay:
    """Runs jobs until the instance drains."""

    def __init__(self) -> None:
        """Begin with none."""
        self._tasks: set[asyncio.Task[Response]] = set()
        self._draining = asyncio.Event()

    async def run(self, handle: Callable[[], Awaitable[Response]]) -> Response:
        """Return what a job answers.

        Raises:
            BrokenOff: It did not begin, or did not end in time.
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
        """Begin no job any more, let those under way end, for at most so long, and break the others off."""
        self._draining.set()
        for within in (seconds, BREAK_OFF_SECONDS):
            late = set(self._tasks)
            if late:
                _, late = await asyncio.wait(late, timeout=within)
            for task in late:
                task.cancel()
