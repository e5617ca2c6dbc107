"""Limits exports: one at a time per user and instance, and a number per day."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil

from shared.domain.errors import ExportsUsedUp, TooManyRequests
from shared.domain.ids import UserId
from shared.domain.usage import UsageEntry, Used, end_of_day, service_day
from shared.ports.audit_store import AuditStore
from shared.ports.clock import Clock

WAIT_SECONDS = 5
"""`Retry-After` of a second, parallel export, seconds."""


@dataclass(frozen=True)
class ExportLimits:
    """Limits the exports of this instance.

    Attributes:
        per_day: Exports of one user per service day, over all instances.
    """

    store: AuditStore
    clock: Clock
    per_day: int = 20
    _under_way: set[UserId] = field(default_factory=set)

    async def entry(self, user_id: UserId) -> UsageEntry:
        """Return what an export adds to a user's day.

        Raises:
            ExportsUsedUp: The daily limit is reached.
            StoreUnavailable: The store does not answer.
        """
        now = self.clock.now()
        today = service_day(now)
        used = await self.store.usage(user_id, today)
        if used is not None and used.exports >= self.per_day:
            raise ExportsUsedUp(ceil((end_of_day(today) - now).total_seconds()))
        return UsageEntry(user_id, today, Used(exports=1))

    @contextmanager
    def one(self, user_id: UserId) -> Iterator[None]:
        """Mark an export as running inside the block.

        Raises:
            TooManyRequests: Another export of the user runs here.
        """
        if user_id in self._under_way:
            raise TooManyRequests(WAIT_SECONDS, "exports")
        self._under_way.add(user_id)
        try:
            yield
        finally:
            self._under_way.discard(user_id)
