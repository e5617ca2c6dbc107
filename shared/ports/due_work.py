"""Port for finding due work and sessions for reviewers."""

from datetime import datetime
from typing import Protocol

from shared.domain.mailbox import Mailbox
from shared.ports.conversation_documents import S


class DueWork(Protocol[S]):
    """Finds due work.

    All methods raise `StoreUnavailable` if the store does not answer.
    """

    async def overdue(self, until: datetime, after: datetime | None, limit: int) -> list[S]:
        """Return sessions whose `due_since` is after `after` and at most `until`, oldest first."""
        ...

    async def waiting(self, until: datetime, after: datetime | None, limit: int) -> list[Mailbox]:
        """Return mailboxes whose `waiting_since` is after `after` and at most `until`, oldest first."""
        ...

    async def for_review(self, status: str, after: str | None, limit: int) -> list[S]:
        """Return sessions of a status in the reviewers' queue after a `review_place`, most pressing first."""
        ...
