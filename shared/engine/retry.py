"""One retry for version conflicts: read, decide, write under a precondition; again when another writer was first."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from shared.domain.errors import StoreError, StoreUnavailable, VersionConflict

R = TypeVar("R")


@dataclass(frozen=True)
class RetryPolicy:
    """How often an attempt is made, and how long the writer rests after one that met a conflict.

    Attributes:
        attempts: The first one included.
        step_s: The longest rest after the first conflict; it grows by as much with each further one. Rests are
            random between nothing and their longest, so that two writers do not meet again.
        longest_s: The longest rest of all.
    """

    attempts: int
    step_s: float
    longest_s: float

    async def rest(self, conflicts: int) -> None:
        """Rest after the given number of conflicts in a row."""
        await asyncio.sleep(random.uniform(0, min(self.longest_s, self.step_s * conflicts)))  # noqa: S311 - no secret


SESSION = RetryPolicy(attempts=12, step_s=0.01, longest_s=0.12)
"""Of a session or mailbox, which a turn and some jobs write."""
ARRIVALS = RetryPolicy(attempts=20, step_s=0.005, longest_s=0.1)
"""Of a mailbox into which many messages come at once."""
USER_DOCUMENT = RetryPolicy(attempts=30, step_s=0.02, longest_s=0.3)
"""Of a user's document. Twenty conversations opened at once take a second or so on the Firestore emulator; a document
that changes all the time is given up after about four."""


async def retry_conflicts(
    policy: RetryPolicy,
    attempt: Callable[[], Awaitable[R]],
    subject: str,
    conflicts: tuple[type[StoreError], ...] = (VersionConflict,),
) -> R:
    """Make an attempt until it meets no conflict.

    Args:
        policy: How often, and with which rests.
        attempt: Reads, decides and writes; raises `VersionConflict` where what it read is no longer true.
        subject: What changed at every try, for the error.
        conflicts: The errors that mean that another writer was first.

    Raises:
        StoreUnavailable: The last attempt met a conflict too. What the attempt raises otherwise goes to the caller.
    """
    for met in range(1, policy.attempts + 1):
        try:
            return await attempt()
        except conflicts:
            await policy.rest(met)
    raise StoreUnavailable(f"{subject} changed at every try")
