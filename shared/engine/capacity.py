"""How many turns this instance runs at a time, and whether it begins any at all."""

import random
from collections.abc import Callable, Hashable
from enum import IntEnum

from shared.domain.errors import Overloaded, ShuttingDown

FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS = 2, 6
"""`Retry-After` of a refusal is drawn from these, so that a crowd does not come back at the same moment."""

Draw = Callable[[int, int], int]


class Phase(IntEnum):
    """What an instance still takes on."""

    SERVING = 0
    """All that fits."""
    DRAINING = 1
    """No new turn but those of the crisis protocol, which take a fraction of a second."""
    CLOSED = 2
    """Nothing: what runs is being broken off."""


class Capacity:
    """Counts the turns that run or wait here.

    Attributes:
        phase: Only ever goes up.
    """

    def __init__(self, turns: int | None = None, draw: Draw = random.randint) -> None:
        """Take how many turns may run at a time, None for any number, and what draws the seconds of a refusal."""
        self.phase = Phase.SERVING
        self._turns = turns
        self._draw = draw
        self._taken: set[Hashable] = set()

    def take(self, key: Hashable, *, stored: bool, pressing: bool) -> None:
        """Count a turn in, once for each key.

        Args:
            key: Names the message.
            stored: It was taken before, here or elsewhere, and has no answer yet: it is no new load.
            pressing: The crisis protocol answers it, without a model.

        Raises:
            ShuttingDown: This instance is leaving.
            Overloaded: As many turns run as may.
        """
        if self.phase is Phase.CLOSED or (self.phase is Phase.DRAINING and not pressing):
            raise ShuttingDown
        full = self._turns is not None and len(self._taken - {key}) >= self._turns
        if full and not stored and not pressing:
            raise Overloaded(self._draw(FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS))
        self._taken.add(key)

    def release(self, key: Hashable) -> None:
        """Count a turn out; one that was not counted in is no error."""
        self._taken.discard(key)
