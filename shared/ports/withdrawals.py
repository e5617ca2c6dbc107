"""Port of withdrawals of consent: stored with the user's document, then applied to each conversation."""

from datetime import datetime
from typing import Protocol

from shared.domain.withdrawal import Withdrawal


class WithdrawalStore(Protocol):
    """Unfinished withdrawals; `UserStore.save_user` stores them."""

    async def withdrawal(self, withdrawal_id: str) -> Withdrawal | None:
        """Return an unfinished withdrawal."""
        ...

    async def withdrawals(self, until: datetime, after: datetime | None, limit: int) -> list[Withdrawal]:
        """Return unfinished withdrawals requested after `after` and at most `until`, oldest first."""
        ...

    async def end_withdrawal(self, withdrawal_id: str) -> None:
        """Delete a withdrawal; safe to repeat."""
        ...
