"""Claims of background work: of several deliveries of one task at once, one alone asks the model."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import Field

from shared.model import Model


class Claim(Model):
    """A delivery is at work.

    Attributes:
        holder: Name of the task or event that was delivered.
        attempt: Which attempt of it, from 1. The queue begins another only when the one before is over.
        until: When the claim expires, should its holder die.
    """

    holder: str
    attempt: int = Field(default=1, ge=1)
    until: datetime

    def held_against(self, holder: str, attempt: int, now: datetime) -> bool:
        """Whether this attempt of a task has to wait: a later attempt of the same task takes over at once."""
        return now < self.until and not (holder == self.holder and attempt > self.attempt)


def with_claim(claims: Mapping[str, Claim], work: str, claim: Claim, now: datetime) -> dict[str, Claim]:
    """Return the claims with one more, without those that have expired."""
    return {name: each for name, each in claims.items() if now < each.until} | {work: claim}
