"""Detects circular talk by rule: the newest message repeats earlier ones and adds nothing new."""

from collections.abc import Sequence
from typing import NamedTuple

LATELY, FEWEST_SHARED = 3, 2
"""Newest earlier messages that a paraphrase repeats, and the content words that it shares with two of them."""
LOOKED_BACK = 5
"""Earlier messages that the newest is compared with."""
SHORTEST = 3
"""Content words that a message needs to be compared: short answers are alike by nature."""
ALIKE = 0.75
"""Share of common content words (Dice, 0 to 1) from which two messages say the same."""
WHOLE_THOUGHT = 4
"""Common content words from which one repetition is enough; a shorter sentence counts at the third time."""


class Utterance(NamedTuple):
    """A message of the user, prepared for comparison.

    Attributes:
        words: Stems of its content words, without quotations.
        question: The same for the question that it answers; empty if none was asked.
        answers_again: It answers a repeated question in other words.
    """

    words: frozenset[str]
    question: frozenset[str] = frozenset()
    answers_again: bool = False


def circles(newest: Utterance, earlier: Sequence[Utterance]) -> bool:
    """Tell whether the talk is circular.

    One repetition of a whole thought is enough. Shorter sentences need two repetitions within `LOOKED_BACK` messages,
    one of them the newest. A message whose words all stand in the last few, some of them in two, says the same in other
    words. A repeated answer to a repeated question does not count.

    Args:
        newest: The newest message.
        earlier: The user's earlier messages, oldest first.
    """
    seen = list(earlier[-LOOKED_BACK:])
    if _paraphrases(newest, seen[-LATELY:]):
        return True
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


def _paraphrases(newest: Utterance, lately: Sequence[Utterance]) -> bool:
    known = frozenset[str]().union(*(one.words for one in lately))
    if newest.answers_again or not newest.words <= known:
        return False
    others = (one for one in lately if not alike(newest.question, one.question))
    return sum(len(newest.words & one.words) >= FEWEST_SHARED for one in others) > 1


def _repeated(one: Utterance, earlier: Sequence[Utterance]) -> int:
    """Return how many content words a message shares with the earlier one that it repeats; 0 if it repeats none."""
    if one.answers_again:
        return 0
    repeated = (two for two in earlier if alike(one.words, two.words) and not alike(one.question, two.question))
    return max((len(one.words & two.words) for two in repeated), default=0)
