"""`Clock` that a test sets: it moves by `advance` only."""

from datetime import UTC, datetime, timedelta


class SettableClock:
    """Time of day and stopwatch move together."""

    def __init__(self, now: datetime = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)) -> None:
        self._start = now
        self._passed = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        return 1000.0 + self._passed

    def advance(self, seconds: float) -> None:
        self._passed += seconds
