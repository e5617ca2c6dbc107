"""How often strings stand in what people write: rough, it only chooses between strings that are looked for."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeAlias

Frequency: TypeAlias = Callable[[str], float]
"""How often a string stands at a place of a text without spaces, 0 to 1."""

_FREQUENT = {False: (1.0, 0.02, 1e-3, 2e-4, 1e-4, 1e-4, 1e-4), True: (1.0, 0.08, 1e-2, 3e-3, 1e-3, 4e-4, 2e-4)}
"""How often a string of so many letters stands at a place, Hangul and Latin. Own figures."""
_GRAM = 6
"""Letters whose frequencies are counted."""
_UNSEEN = 0.03
"""How often a string that a corpus does not hold is taken to stand in it."""


def by_length(string: str) -> float:
    """Return how often a string stands at a place, judged by its length alone."""
    return _FREQUENT[string.isascii()][min(len(string), len(_FREQUENT[False]) - 1)]


class Frequencies:
    """How often strings stand in written language, by what stands in a corpus."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Count the letters of `texts`, their spaces left out, alone and up to six in a row."""
        corpus = "\n".join(texts).lower().replace(" ", "")
        self._size = max(len(corpus), 1)
        self._counts = Counter(
            corpus[at : at + length] for length in range(1, _GRAM + 1) for at in range(len(corpus) - length + 1)
        )

    def __call__(self, string: str) -> float:
        """Return the frequency of a string: that of its rarest six letters in a row."""
        grams = [string[at : at + _GRAM] for at in range(max(len(string) - _GRAM, 0) + 1)]
        return (min(self._counts[gram] for gram in grams) + _UNSEEN) / self._size
