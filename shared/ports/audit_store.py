"""The audit trail, and what users have used up."""

from datetime import date
from typing import Protocol

from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.domain.usage import DailyUsage, UsageEntry


class AuditStore(Protocol):
    """Audit lines that no turn writes, and the usage of users by day.

    All methods raise `StoreUnavailable` when the store does not answer.
    """

    async def add_audit(self, entry: AuditEntry, usage: UsageEntry | None = None) -> None:
        """Write a line of the audit trail that no turn writes, and add to a user's day with it.

        Raises:
            DocumentExists: It is there already.
        """
        ...

    async def usage(self, user_id: UserId, day: date) -> DailyUsage | None:
        """Return what a user has used up in a day; None where there is nothing."""
        ...
