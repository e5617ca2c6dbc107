"""Where in a text a pattern is worth trying.

Trying thousands of patterns on 4,000 characters costs hundreds of milliseconds; finding their words first costs a
small part of one. Of the strings that every match holds (anchors.py), those are chosen with which a text costs least:
one set of them, or several where they are common.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from math import fsum, prod
from typing import NamedTuple

from shared.domain.safety.anchors import Anchor, Strings, held_by
from shared.domain.safety.frequencies import Frequency, by_length

MOST_ANCHORS = 3
"""Sets of strings that are looked for to try one pattern. Own figure."""
MESSAGE = 4000
"""Characters of the longest message: for such texts strings are chosen, unless one says otherwise."""
SENTENCE = 40
"""Characters of a sentence, as most are. Own figure."""
_NOTE = 0.3
"""Microseconds to note that a string stands at a place; many patterns share a string. Measured, as the next two."""
_LOOK = 8.0
"""Microseconds to look where a pattern may match once its strings stand near each other."""
_TRY = 1.0
"""Microseconds to try it at a place."""
_NEAR = 384
"""Characters that are near; see search.py."""
_BEGINS = 0.25
"""The share of a window's places that begin with a letter with which a match can begin. Own figure."""


class Prefilter(NamedTuple):
    """What a text must have at a place for a pattern to match there.

    Attributes:
        anchors: All of them must stand near, first the one that says best where a match begins. None means
            that the pattern has to be tried everywhere.
        first: The letters with which a match can begin, a space among them; None for any.
    """

    anchors: tuple[Anchor, ...] = ()
    first: Strings | None = None


def prefilter_of(pattern: str, frequency: Frequency = by_length, *, length: int = MESSAGE) -> Prefilter:
    """Return what a text must have for a pattern to be tried.

    Args:
        pattern: The pattern.
        frequency: How often strings stand in texts: it chooses between what a match holds.
        length: Characters of such a text.
    """
    anchors, first = held_by(pattern, frequency)
    return Prefilter(_cheapest(anchors, first, frequency, length), first)


def _cheapest(
    anchors: Iterable[Anchor], first: Strings | None, frequency: Frequency, length: int
) -> tuple[Anchor, ...]:
    """Return those with which a text costs least, the narrowest first."""
    begins = 1.0 if first is None else _BEGINS
    rated = [(one.width, one.frequency(frequency), one) for one in anchors]
    rated.sort(key=lambda one: (*one[:2], one[2].nearest, sorted(one[2].strings)))  # sets come in any order
    choices = chain.from_iterable(combinations(rated, count) for count in range(1, MOST_ANCHORS + 1))

    def cost(chosen: Sequence[tuple[int, float, Anchor]]) -> float:
        (width, often, _), *others = chosen
        noted = fsum(one for _, one, _ in chosen)
        looks = min(1.0, length * often * prod(min(1.0, _NEAR * one) for _, one, _ in others))
        tries = often * prod(min(1.0, one * (1 + width + wide)) for wide, one, _ in others) * (1 + begins * width)
        return _LOOK * looks + length * (_NOTE * noted + _TRY * tries)

    return tuple(anchor for _, _, anchor in min(choices, key=cost, default=()))
