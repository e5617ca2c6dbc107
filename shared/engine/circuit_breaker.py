"""One model's circuit breaker: open after failures in a row, then half-open for one probe at a time."""

from enum import StrEnum

from shared.ports.clock import Clock

OPENS_AFTER = 3
"""Requests in a row without an answer. Own figure: one turn of a dead model has as many."""
WINDOW_S = 60.0
"""The first of them is no older: a call now and then that fails is no outage."""
FIRST_REST_S = 15.0
"""For so long it is open at first; doubled by each probe that fails."""
LONGEST_REST_S = 120.0
"""At most. Own figure: of users who write every half minute, one in four turns waits for a probe."""
LONGEST_TOLD_S = 300.0
"""A provider that asks for a longer pause, as for a spent daily quota, is probed all the same: quotas are raised."""


class Pass(StrEnum):
    """What a breaker says to a call."""

    FREE = "free"
    PROBE = "probe"
    """The one call that finds out whether the model answers again."""
    REFUSED = "refused"


class CircuitBreaker:
    """Counts what one model answers."""

    def __init__(self, clock: Clock) -> None:
        """Begin closed."""
        self._clock = clock
        self._failures = 0
        self._failing_since = 0.0
        self._open_until: float | None = None
        self._rest_s = FIRST_REST_S
        self._probing = False

    @property
    def rests(self) -> bool:
        """Whether it is open: nothing is sent."""
        return self._open_until is not None and self._clock.monotonic() < self._open_until

    def admit(self) -> Pass:
        """Tell whether a call may be sent; who gets a probe tells how it ended."""
        if self._open_until is None:
            return Pass.FREE
        if self._probing or self.rests:
            return Pass.REFUSED
        self._probing = True
        return Pass.PROBE

    def answered(self) -> None:
        """Close it: the model answered."""
        self._failures, self._open_until, self._rest_s, self._probing = 0, None, FIRST_REST_S, False

    def failed(self, requests: int = 1, *, told_s: float | None = None) -> None:
        """Note requests without an answer; a call that began before it opened proves nothing new.

        Args:
            requests: How many.
            told_s: For how long the provider asks to be left alone.
        """
        now = self._clock.monotonic()
        if self._open_until is not None:
            if self._probing:
                self._rest_s = min(2 * self._rest_s, LONGEST_REST_S)
                self._open(max(self._rest_s, told_s or 0))
            elif told_s is not None:
                self._open(max(told_s, self._open_until - now))
            return
        if not self._failures or now - self._failing_since > WINDOW_S:
            self._failures, self._failing_since = 0, now
        self._failures += requests
        if told_s is not None:
            self._open(told_s)
        elif self._failures >= OPENS_AFTER:
            self._open(FIRST_REST_S)

    def rest(self, seconds: float) -> None:
        """Open it for so long: the model is gone."""
        self._open_until, self._probing = self._clock.monotonic() + seconds, False

    def released(self) -> None:
        """Take a probe back that ended without telling anything; the next call is the probe."""
        self._probing = False

    def _open(self, seconds: float) -> None:
        self.rest(min(seconds, LONGEST_TOLD_S))
