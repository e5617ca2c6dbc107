"""A withdrawal of consents that was kept for the person, and is still to be made in their conversations."""

from datetime import datetime

from pydantic import Field

from shared.domain.conversation import RETENTION
from shared.domain.ids import UserId
from shared.model import Model


class Withdrawal(Model):
    """One withdrawal that is not finished. Document: `withdrawals/{withdrawal_id}`; it is deleted when it is done.

    Attributes:
        withdrawal_id: Random.
        names: Of the consents that were taken back.
        requested_at: When they were; what the person said later stands.
    """

    withdrawal_id: str
    user_id: UserId
    names: tuple[str, ...]
    requested_at: datetime
    expire_at: datetime = Field(default_factory=lambda withdrawal: withdrawal["requested_at"] + RETENTION)
