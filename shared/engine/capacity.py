"""Limits how much of one kind of work this instance does at a time, and how much of it for one user."""

import random
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from enum import IntEnum

from shared.domain.errors import Overloaded, ShuttingDown, TooManyRequests
from shared.domain.ids import UserId

FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 2, 6
"""`Retry-After` of a refusal is drawn from this range, so that clients do not retry at the same moment."""
SHARES, LEAST_SHARE = 4, 2
"""One user may hold one in so many of an instance's turns, and at least so many."""

Draw = Callable[[int, int], int]


class Phase(IntEnum):
    """Which turns an instance accepts."""

    SERVING = 0
    """All turns within the capacity."""
    DRAINING = 1
    """Only turns of the crisis protocol, which take a fraction of a second."""
    CLOSED = 2
    """None; running turns are cancelled."""


class Capacity:
    """Counts the turns, or other work, that run or wait on this instance.

    Attributes:
        phase: Only moves forward.
    """

    def __init__(self, turns: int | None = None, share: int | None = None, draw: Draw = random.randint) -> None:
        """Create the counter.

        Args:
            turns: Concurrent turns; None for no limit.
            share: Concurrent turns of one user; None for no limit.
            draw: Draws the seconds of `Retry-After`.
        """
        self.phase = Phase.SERVING
        self._turns = turns
        self._share = share
        self._draw = draw
        self._taken: dict[Hashable, UserId] = {}

    def take(self, key: Hashable, user_id: UserId, *, stored: bool, pressing: bool) -> None:
        """Count a turn, once per key.

        Args:
            key: Identifies the message.
            user_id: Its sender.
            stored: The message is stored and unanswered, so it adds no load.
            pressing: The crisis protocol answers it, without a model.

        Raises:
            ShuttingDown: This instance stops.
            Overloaded: The instance is full.
            TooManyRequests: The user holds their share of it.
        """
        if self.phase is Phase.CLOSED or (self.phase is Phase.DRAINING and not pressing):
            raise ShuttingDown
        if not stored and not pressing:
            others = [user for taken, user in self._taken.items() if taken != key]
            if self._turns is not None and len(others) >= self._turns:
                raise Overloaded(self._draw(FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS))
            if self._share is not None and others.count(user_id) >= self._share:
                raise TooManyRequests(self._draw(FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS), "requests at a time")
        self._taken[key] = user_id

    def release(self, key: Hashable) -> None:
        """Release a turn; an unknown key is ignored."""
        self._taken.pop(key, None)

    @contextmanager
    def place(self, user_id: UserId) -> Iterator[None]:
        """Take a place for the block, for a user's work that answers no message.

        Raises:
            ShuttingDown, Overloaded, TooManyRequests: See `take`.
        """
        key = object()
        self.take(key, user_id, stored=False, pressing=False)
        try:
            yield
        finally:
            self.release(key)
