"""A token bucket: a rate with a limited burst."""

from shared.ports.clock import Clock


class TokenBucket:
    """Holds up to `burst` tokens, starts full and gains `rate` tokens per second."""

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = float(burst)
        self._counted_at = clock.monotonic()

    def wait_s(self) -> float:
        """Return the seconds until a token is available; 0 if there is one."""
        self._refill()
        return max(0.0, (1 - self._tokens) / self._rate)

    def take(self) -> None:
        """Take a token; the balance may become negative."""
        self._refill()
        self._tokens -= 1

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._counted_at) * self._rate)
        self._counted_at = now
