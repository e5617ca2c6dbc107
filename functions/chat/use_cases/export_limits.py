"""Limits exports: one at a time per user and instance, and a number per day."""

from dataclasses import dataclass, field
from math import ceil

from shared.domain.errors import ExportsUsedUp
from shared.domain.ids import UserId
from shared.domain.usage import UsageEntry, Used, end_of_day, service_day
from shared.engine.capacity import Capacity
from shared.ports.audit_store import AuditStore
from shared.ports.clock import Clock


@dataclass(frozen=True)
class ExportLimits:
    """Limits the exports of this instance.

    Attributes:
        per_day: Exports of one user per service day, over all instances.
        places: Let one export of a user run here at a time.
    """

    store: AuditStore
    clock: Clock
    per_day: int = 20
    places: Capacity = field(default_factory=lambda: Capacity(share=1))

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
