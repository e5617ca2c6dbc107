"""Retries for version conflicts: read, decide and write again when another writer was first."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from shared.domain.errors import StoreError, StoreUnavailable, VersionConflict

R = TypeVar("R")


@dataclass(frozen=True)
class RetryPolicy:
    """How often an attempt is made, and how long to wait after a conflict.

    Attributes:
        attempts: Including the first one.
        step_s: Longest wait after the first conflict, seconds; each further conflict adds as much. Waits are drawn
            evenly from zero to the longest, so that two writers do not collide again.
        longest_s: Upper limit of all waits, seconds.
    """

    attempts: int
    step_s: float
    longest_s: float

    async def rest(self, conflicts: int) -> None:
        """Wait after the given number of conflicts in a row."""
        await asyncio.sleep(random.uniform(0, min(self.longest_s, self.step_s * conflicts)))  # noqa: S311 - no secret


SESSION_WRITES = RetryPolicy(attempts=12, step_s=0.01, longest_s=0.12)
"""For a session or mailbox, which a turn and some jobs write."""
ARRIVALS = RetryPolicy(attempts=20, step_s=0.005, longest_s=0.1)
"""For a mailbox that receives many messages at once."""
USER_DOCUMENT = RetryPolicy(attempts=30, step_s=0.02, longest_s=0.3)
"""For a user's document. Opening twenty conversations at once takes about a second on the Firestore emulator; a
document that keeps changing is given up after about four seconds."""


async def retry_conflicts(
    policy: RetryPolicy,
    attempt: Callable[[], Awaitable[R]],
    subject: str,
    conflicts: tuple[type[StoreError], ...] = (VersionConflict,),
) -> R:
    """Repeat an attempt until it meets no conflict.

    Args:
        policy: Number of attempts and waits.
        attempt: Reads, decides and writes; raises one of `conflicts` if another writer was first.
        subject: What changed, for the error.
        conflicts: The errors that count as conflicts.

    Raises:
        StoreUnavailable: Every attempt met a conflict. Other errors of the attempt are passed on.
    """
    for met in range(1, policy.attempts + 1):
        try:
            return await attempt()
        except conflicts:
            await policy.rest(met)
    raise StoreUnavailable(f"{subject} changed at every try")
