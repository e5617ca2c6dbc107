"""A withdrawal of consents that is stored for the user but not yet applied to all their conversations."""

from datetime import datetime

from pydantic import Field

from shared.domain.conversation import RETENTION
from shared.domain.ids import UserId
from shared.model import Model


class Withdrawal(Model):
    """An unfinished withdrawal. Document: `withdrawals/{withdrawal_id}`; deleted when it is complete.

    Attributes:
        withdrawal_id: Random.
        names: The withdrawn consents.
        requested_at: Time of the withdrawal; later statements of the user win.
    """

    withdrawal_id: str
    user_id: UserId
    names: tuple[str, ...]
    requested_at: datetime
    expire_at: datetime = Field(default_factory=lambda withdrawal: withdrawal["requested_at"] + RETENTION)
