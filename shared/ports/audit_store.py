"""Port of the audit trail and of users' daily usage."""

from datetime import date
from typing import Protocol

from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.domain.usage import DailyUsage, UsageEntry


class AuditStore(Protocol):
    """Audit entries outside of turns, and usage by user and day.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def add_audit(self, entry: AuditEntry, usage: UsageEntry | None = None) -> None:
        """Write an audit entry, and optionally add to a user's day.

        Raises:
            DocumentExists: The entry exists.
        """
        ...

    async def usage(self, user_id: UserId, day: date) -> DailyUsage | None:
        """Return a user's usage in a day, or None."""
        ...
