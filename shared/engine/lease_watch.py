"""Tells a dead lease holder from a living one without comparing the clocks of two instances (docs/decisions/0037)."""

from shared.domain.mailbox import Lease
from shared.engine.lease import SILENT_SECONDS
from shared.ports.clock import Clock

COUNTED_SECONDS = 1.0
"""Most that counts between two looks: while this process, or the store, stood still, the holder may have stood still
too, and gets its time to renew afterwards."""


class LeaseWatch:
    """One waiting message's view of the lease that another turn holds; measured on this instance's stopwatch."""

    def __init__(self, clock: Clock) -> None:
        """Begin with nothing seen."""
        self._clock = clock
        self._lease: Lease | None = None
        self._counted_until = 0.0
        self._unchanged = 0.0

    def silent(self, lease: Lease, asked: float) -> bool:
        """Note a reading of the lease, and tell whether it was seen unchanged for `SILENT_SECONDS`.

        Args:
            lease: The lease as read just now; each renewal makes another one.
            asked: When the store was asked for it, on the stopwatch. It may show the lease as it was then.
        """
        if lease == self._lease:
            self._unchanged += min(max(0.0, asked - self._counted_until), COUNTED_SECONDS)
            self._counted_until = asked
        else:
            self._lease, self._unchanged = lease, 0.0
            self._counted_until = self._clock.monotonic()
        return self._unchanged >= SILENT_SECONDS
