"""One model's circuit breaker: open after failures in a row, then half-open for one probe at a time."""

from dataclasses import dataclass
from enum import StrEnum

from shared.ports.clock import Clock

OPENS_AFTER = 4
"""Unanswered requests in a row that open the breaker. One turn of a dead model sends up to that many: two streams begun
early, and two after the plan changed."""
WINDOW_S = 60.0
"""Failures are counted within this window, so that occasional ones do not open the breaker."""
FIRST_REST_S = 15.0
"""First open period; each failed probe doubles it."""
LONGEST_REST_S = 120.0
"""Longest open period by doubling."""
LONGEST_TOLD_S = 300.0
"""Longest open period that a provider may ask for, e.g. for a spent daily quota: quotas may be raised."""


@dataclass(frozen=True, eq=False)
class Permit:
    """Permission to send one call.

    Attributes:
        probe: The call tests whether the model answers again; no other call is sent at that time.
    """

    probe: bool


class Silence(StrEnum):
    """Why an unanswered call ended."""

    WAITED_OUT = "waited_out"
    GIVEN_UP = "given_up"
    """It was cancelled because another stream spoke first."""
    CUT_SHORT = "cut_short"
    """Our own deadline was too short to prove that the model fails (`ModelRequest.cut_short`)."""


@dataclass(frozen=True)
class FailedCall:
    """How a failed call was sent and ended.

    Attributes:
        permit: The breaker's permit; None if the call did not ask the breaker.
    """

    streamed: bool = False
    silence: Silence = Silence.WAITED_OUT
    permit: Permit | None = None


WHOLE_CALL = FailedCall()
"""A call for a whole answer that ran until its timeout."""


class CircuitBreaker:
    """Circuit breaker of one model."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._failing_since = 0.0
        self._open_until: float | None = None
        self._rest_s = FIRST_REST_S
        self._probe: Permit | None = None
        self._probe_lapses = 0.0

    @property
    def rests(self) -> bool:
        """Whether it is open, so that no call is sent."""
        return self._open_until is not None and self._clock.monotonic() < self._open_until

    def admit(self, patience_s: float, *, may_probe: bool = True) -> Permit | None:
        """Permit a call, or return None while the breaker is open or a probe is under way.

        Args:
            patience_s: Timeout of the call if it is a probe, seconds. An older probe no longer blocks other calls.
            may_probe: Whether the call may be a probe.
        """
        if self._open_until is None:
            return Permit(probe=False)
        now = self._clock.monotonic()
        if self.rests or not may_probe or (self._probe is not None and now < self._probe_lapses):
            return None
        self._probe, self._probe_lapses = Permit(probe=True), now + patience_s
        return self._probe

    def answered(self) -> None:
        self._failures, self._open_until, self._rest_s, self._probe = 0, None, FIRST_REST_S, None

    def failed(self, requests: int = 1, *, permit: Permit | None = None, told_s: float | None = None) -> None:
        """Count unanswered requests. While the breaker is open, only a failed probe lengthens the open period.

        Args:
            requests: Number of requests.
            permit: The call's permit.
            told_s: Pause that the provider asks for, seconds.
        """
        now = self._clock.monotonic()
        if self._open_until is not None:
            if self._is_probe(permit):
                self._rest_s = min(2 * self._rest_s, LONGEST_REST_S)
                self._open(max(self._rest_s, told_s or 0))
            elif told_s is not None:
                self._open(max(told_s, self._open_until - now))
            return
        self._begin_window(now)
        self._failures += requests
        if told_s is not None:
            self._open(told_s)
        elif self._failures >= OPENS_AFTER:
            self._open(FIRST_REST_S)

    def cut_short(self, permit: Permit | None) -> None:
        """Record a timeout caused by our own deadline: all of them together count as one failure."""
        if self._is_probe(permit):
            self._open(self._rest_s)
        elif self._open_until is None:
            self._begin_window(self._clock.monotonic())
            self._failures = max(self._failures, 1)

    def rest(self, seconds: float) -> None:
        """Open the breaker for so many seconds: the model does not exist."""
        self._open_until, self._probe = self._clock.monotonic() + seconds, None

    def release(self, permit: Permit) -> None:
        """End a call. If it was the current probe and has no result, the next call becomes the probe."""
        if self._is_probe(permit):
            self._probe = None

    def _is_probe(self, permit: Permit | None) -> bool:
        return permit is not None and permit is self._probe

    def _begin_window(self, now: float) -> None:
        if not self._failures or now - self._failing_since > WINDOW_S:
            self._failures, self._failing_since = 0, now

    def _open(self, seconds: float) -> None:
        self.rest(min(seconds, LONGEST_TOLD_S))
