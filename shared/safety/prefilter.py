"""Where in a text a pattern is worth trying.

Trying thousands of patterns on 4,000 characters costs hundreds of milliseconds; finding a word of each first costs a
small part of one. Of the strings that every match holds (anchors.py), those are chosen with which a text costs least.
"""

from typing import NamedTuple

from shared.safety.anchors import held_by
from shared.safety.frequencies import Frequency, by_length
from shared.safety.pattern_parts import Anchor, Strings

_TRY = 1.4
"""Microseconds to try a pattern where one of its strings stands. Measured, as the next."""
_PLACE = 0.006
"""Microseconds for each place beside it at which the match may begin."""
_SEARCH = 0.05
"""Microseconds for each character to look for a pattern everywhere: what half the sentences have is found at once."""


class Prefilter(NamedTuple):
    """What a text must have at a place for a pattern to match there.

    Attributes:
        anchor: One of its strings must stand there. None means that the pattern is tried everywhere: every match holds
            no string, or what it holds stands in every other sentence.
        first: The letters with which a match can begin, a space among them; None for any.
        head: Characters of the pattern, from its beginning, that match at least a letter.
        reach: Characters of a text that decide whether they match, at most.
    """

    anchor: Anchor | None
    first: Strings | None
    head: int
    reach: int


def prefilter_of(pattern: str, frequency: Frequency = by_length) -> Prefilter:
    """Return what a text must have for a pattern to be tried.

    Args:
        pattern: The pattern.
        frequency: How often strings stand in texts: it chooses between what a match holds.

    Raises:
        ValueError: It is not of our pattern language.
    """

    def cost(anchor: Anchor) -> float:
        return anchor.frequency(frequency) * (_TRY + _PLACE * anchor.width)

    held = held_by(pattern, frequency)
    worth = [anchor for anchor in held.anchors if cost(anchor) < _SEARCH]
    # Sets come in any order: of what costs the same, always the same one.
    cheapest = min(worth, key=lambda anchor: (cost(anchor), anchor.nearest, sorted(anchor.strings)), default=None)
    return Prefilter(cheapest, *held[1:])
