"""Work that is due, for the sweep, and sessions that wait for a reviewer."""

from datetime import datetime
from typing import Protocol

from shared.domain.mailbox import Mailbox
from shared.ports.conversation_documents import S


class DueWork(Protocol[S]):
    """Finds what waits.

    All methods raise `StoreUnavailable` when the store does not answer.
    """

    async def overdue(self, until: datetime, after: datetime | None, limit: int) -> list[S]:
        """Return sessions whose `due_since` is behind `after` and at most `until`, the oldest first."""
        ...

    async def waiting(self, until: datetime, after: datetime | None, limit: int) -> list[Mailbox]:
        """Return mailboxes whose `waiting_since` is behind `after` and at most `until`, the oldest first."""
        ...

    async def for_review(self, status: str, after: str | None, limit: int) -> list[S]:
        """Return sessions of a status in the reviewers' queue, the most pressing first, behind a `review_place`."""
        ...
