"""A token bucket: a rate over time, with a burst at most."""

from shared.ports.clock import Clock


class TokenBucket:
    """Holds at most `burst` tokens, full at first, and gains `rate` of them a second."""

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._counted_at = clock.monotonic()

    def wait_s(self) -> float:
        """Seconds until there is a token; 0 when there is one."""
        self._refill()
        return max(0.0, (1 - self._tokens) / self._rate)

    def take(self) -> None:
        """Take a token; one that is not there yet is owed."""
        self._refill()
        self._tokens -= 1

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._counted_at) * self._rate)
        self._counted_at = now
