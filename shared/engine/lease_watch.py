"""Tells a dead lease holder from a living one without comparing the clocks of two instances (docs/decisions/0037)."""

from shared.domain.mailbox import Lease
from shared.engine.lease import TAKEOVER_SECONDS
from shared.ports.clock import Clock

COUNTED_SECONDS = 1.0
"""Longest interval between two reads that counts, seconds: if this process or the store paused, the holder may have
paused too and gets time to renew."""


class LeaseWatch:
    """One waiting message's view of another turn's lease, timed on this instance's stopwatch."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lease: Lease | None = None
        self._counted_until = 0.0
        self._unchanged = 0.0

    def silent(self, lease: Lease, asked: float) -> bool:
        """Record a read of the lease and tell whether it was unchanged for `TAKEOVER_SECONDS`.

        Args:
            lease: The lease just read; every renewal changes it.
            asked: Stopwatch time at which the read began.
        """
        if lease == self._lease:
            self._unchanged += min(max(0.0, asked - self._counted_until), COUNTED_SECONDS)
            self._counted_until = asked
        else:
            self._lease, self._unchanged = lease, 0.0
            self._counted_until = self._clock.monotonic()
        return self._unchanged >= TAKEOVER_SECONDS
