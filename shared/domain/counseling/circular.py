"""Circular talk by rule: the newest message says what the user has said before, with nothing new in it."""

from collections.abc import Sequence
from typing import NamedTuple

LOOKED_BACK = 5
"""Own messages before the newest that it is held against."""
SHORTEST = 3
"""Content words from which two messages are compared: short answers are alike by nature. Own threshold."""
ALIKE = 0.75
"""Share of common content words (Dice, 0 to 1) from which two messages say the same. Own threshold."""
WHOLE_THOUGHT = 4
"""Common content words from which one repetition is enough; a shorter sentence counts the third time. Own threshold."""


class Utterance(NamedTuple):
    """A message of the user as it is compared.

    Attributes:
        words: What carries its meaning, inflection and particles aside, without quotations.
        question: The same of the question that it answers; empty if none was asked.
        answers_again: It answers what was asked for before, in other words.
    """

    words: frozenset[str]
    question: frozenset[str] = frozenset()
    answers_again: bool = False


def circles(newest: Utterance, earlier: Sequence[Utterance]) -> bool:
    """Tell whether the talk goes in a circle.

    A whole thought said again is enough. Of shorter sentences it takes two repetitions in sight, the newest one of
    them: the same for the third time, or two by turns. Who is asked the same question again gives the same answer: that
    is no circle of theirs.

    Args:
        newest: The newest message.
        earlier: The user's messages before it, oldest first.
    """
    seen = list(earlier[-LOOKED_BACK:])
    shared = _repeated(newest, seen)
    if shared >= WHOLE_THOUGHT:
        return True
    if not shared:
        return False
    return any(_repeated(one, seen[:place]) for place, one in enumerate(seen))


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Tell whether two sets of content words say the same."""
    if min(len(first), len(second)) < SHORTEST:
        return False
    return 2 * len(first & second) / (len(first) + len(second)) >= ALIKE


def _repeated(one: Utterance, earlier: Sequence[Utterance]) -> int:
    """Return how many content words a message shares with the earlier one that it repeats; 0 if it repeats none."""
    if one.answers_again:
        return 0
    return max((len(one.words & other.words) for other in earlier if _repeats(one, other)), default=0)


def _repeats(one: Utterance, other: Utterance) -> bool:
    return alike(one.words, other.words) and not alike(one.question, other.question)
