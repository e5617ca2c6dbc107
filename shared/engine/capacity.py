"""Limits how many turns, and how many openings, this instance runs at a time."""

import random
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from enum import IntEnum

from shared.domain.errors import Overloaded, ShuttingDown

FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 2, 6
"""`Retry-After` of a refusal is drawn from this range, so that clients do not retry at the same moment."""

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
    """Counts the turns that run or wait on this instance.

    Attributes:
        phase: Only moves forward.
    """

    def __init__(self, turns: int | None = None, draw: Draw = random.randint) -> None:
        """Create the counter.

        Args:
            turns: Concurrent turns; None for no limit.
            draw: Draws the seconds of `Retry-After`.
        """
        self.phase = Phase.SERVING
        self._turns = turns
        self._draw = draw
        self._taken: set[Hashable] = set()

    def take(self, key: Hashable, *, stored: bool, pressing: bool) -> None:
        """Count a turn, once per key.

        Args:
            key: Identifies the message.
            stored: The message is stored and unanswered, so it adds no load.
            pressing: The crisis protocol answers it, without a model.

        Raises:
            ShuttingDown: This instance stops.
            Overloaded: The instance is full.
        """
        if self.phase is Phase.CLOSED or (self.phase is Phase.DRAINING and not pressing):
            raise ShuttingDown
        full = self._turns is not None and len(self._taken - {key}) >= self._turns
        if full and not stored and not pressing:
            raise Overloaded(self._draw(FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS))
        self._taken.add(key)

    def release(self, key: Hashable) -> None:
        """Release a turn; an unknown key is ignored."""
        self._taken.discard(key)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take a place for the block, for work that answers no message.

        Raises:
            ShuttingDown, Overloaded: See `take`.
        """
        key = object()
        self.take(key, stored=False, pressing=False)
        try:
            yield
        finally:
            self.release(key)
