"""Claims of background work: of several concurrent deliveries of one task, only one asks the model."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field

from shared.model import Model


class Claim(Model):
    """A claim of a piece of work by a delivery.

    Attributes:
        holder: Name of the delivered task or event.
        attempt: Number of the attempt, from 1. The queue starts the next attempt only after the previous one ended.
        until: Expiry, unless the holder renews it.
    """

    holder: str
    attempt: int = Field(default=1, ge=1)
    until: datetime

    def held_against(self, holder: str, attempt: int, now: datetime) -> bool:
        """Whether this attempt must wait. A later attempt of the same task takes over at once."""
        return now < self.until and not (holder == self.holder and attempt > self.attempt)


def with_claim(claims: Mapping[str, Claim], work: str, claim: Claim, now: datetime) -> dict[str, Claim]:
    """Return the claims with one added and expired ones removed."""
    return {name: each for name, each in claims.items() if now < each.until} | {work: claim}
