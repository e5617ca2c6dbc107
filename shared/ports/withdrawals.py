"""Withdrawals of consents: kept with the user's document, made in each conversation, repeated until they are done."""

from datetime import datetime
from typing import Protocol

from shared.domain.withdrawal import Withdrawal


class WithdrawalStore(Protocol):
    """The withdrawals that are not finished; `UserStore.save_user` keeps them."""

    async def withdrawal(self, withdrawal_id: str) -> Withdrawal | None:
        """Return a withdrawal that is not finished."""
        ...

    async def withdrawals(self, until: datetime, after: datetime | None, limit: int) -> list[Withdrawal]:
        """Return unfinished withdrawals requested behind `after` and at most `until`, the oldest first."""
        ...

    async def end_withdrawal(self, withdrawal_id: str) -> None:
        """Delete a withdrawal; the second time nothing changes."""
        ...
