"""An event loop whose time passes only while nothing is ready to run: minutes of waiting take no time at all."""

import asyncio
import selectors
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import TypeVar

T = TypeVar("T")
START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


class _Skipping(selectors.SelectSelector):
    """Skips what the loop would sleep."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everything waits for something that never comes"
            self.skipped += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """For tasks that wait for each other and for time, and for nothing outside."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.skipped


class LoopClock:
    """`Clock` on the loop's time; its time of day may be wrong by so many seconds."""

    def __init__(self, ahead: float = 0.0) -> None:
        self._ahead = timedelta(seconds=ahead)

    def now(self) -> datetime:
        return START + self._ahead + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def in_virtual_time(work: Coroutine[object, object, T]) -> T:
    """Run to the end on a loop of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
