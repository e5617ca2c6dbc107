"""BM25 over one field of some texts (Robertson and Zaragoza 2009)."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

K1 = 1.2
B = 0.7


class Bm25:
    """The texts of one field, counted by unit. Making it takes time in proportion to them."""

    def __init__(self, counts: Sequence[Mapping[str, int]]) -> None:
        self._total = len(counts)
        self._postings: dict[str, dict[int, int]] = {}
        lengths = [sum(found.values()) for found in counts]
        for index, found in enumerate(counts):
            for unit, count in found.items():
                self._postings.setdefault(unit, {})[index] = count
        average = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._norms = [K1 * (1 - B + B * length / average) for length in lengths]

    def scores(self, units: Mapping[str, float]) -> dict[int, float]:
        """Return the scores of the texts that have one of the units, which have a weight each."""
        scores: dict[int, float] = {}
        for unit, weight in units.items():
            found = self._postings.get(unit, {})
            rarity = weight * self._rarity(unit)
            for index, count in found.items():
                part = rarity * count * (K1 + 1) / (count + self._norms[index])
                scores[index] = scores.get(index, 0.0) + part
        return scores

    def highest(self, counts: Counter[str]) -> float:
        """Return the score that a text of average length with just these units would have."""
        return sum(self._rarity(unit) * count * (K1 + 1) / (count + K1) for unit, count in counts.items())

    def _rarity(self, unit: str) -> float:
        found = len(self._postings.get(unit, ()))
        return math.log(1 + (self._total - found + 0.5) / (found + 0.5))
