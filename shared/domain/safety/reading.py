"""One normalised text, cut into sentences, and quick to ask where words can stand.

Korean spacing is a matter of mood, so words are looked for with all spaces left out.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import add
from typing import NamedTuple, TypeAlias

Span: TypeAlias = tuple[int, int]

_SENTENCE = re.compile(r"[^.?!]+[.?!]?|[.?!]")
_LONGEST = 160
"""Characters of a piece; more than any window of a pattern. Own figure: people write whole messages without a stop."""


class Clause(NamedTuple):
    """Strings without spaces, one of which must occur, and the pairs of letters that they begin with."""

    strings: frozenset[str]
    beginnings: frozenset[str]


class Reading:
    """A normalised text.

    Its sentences are cut into pieces, and the pieces that hold a string are the bits of a number: so it costs some
    operations on numbers to tell where all the words of a pattern come together. A piece of a long sentence answers
    for the piece after it, too.

    Attributes:
        pairs: Its letters and its pairs of neighbours, spaces left out.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._sentences = [found.span() for found in _SENTENCE.finditer(text)]
        self._starts = [start for start, _ in self._sentences]
        self._pieces = [piece for sentence in self._sentences for piece in _cut(sentence)]
        self._overlap = len(self._pieces) > len(self._sentences)
        self._squeezed = text.replace(" ", "")
        self.pairs = frozenset(map(add, self._squeezed, self._squeezed[1:])).union(self._squeezed)
        self._clauses: dict[Clause, int] = {}
        self._strings: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.text)

    @property
    def sentences(self) -> Sequence[Span]:
        """Where each sentence begins and ends, its mark included."""
        return self._sentences

    def sentence_at(self, position: int) -> int:
        """Return the number of the sentence that holds `position`."""
        return max(bisect_right(self._starts, position) - 1, 0)

    def regions(self, needs: Sequence[Clause], *, across: bool) -> Iterator[Span]:
        """Yield the stretches where a pattern can match.

        Args:
            needs: The words without which it cannot.
            across: It may reach over the end of a sentence.
        """
        everywhere = (1 << len(self._pieces)) - 1
        pieces = everywhere
        for clause in needs:
            holding = self._holding(clause)
            pieces &= everywhere if across and holding else holding
            if not pieces:
                return
        yield from self._stretches(pieces)

    @cached_property
    def _parts(self) -> list[str]:
        """What each piece answers for, without spaces."""
        ends = [end for _, end in self._pieces]
        if self._overlap:
            ends = [*ends[1:], ends[-1]]
        return [self.text[start:end].replace(" ", "") for (start, _), end in zip(self._pieces, ends, strict=True)]

    def _holding(self, clause: Clause) -> int:
        found = self._clauses.get(clause)
        if found is None:
            found = 0 if clause.beginnings.isdisjoint(self.pairs) else self._pieces_with(clause)
            self._clauses[clause] = found
        return found

    def _pieces_with(self, clause: Clause) -> int:
        pieces = 0
        for string in clause.strings:
            if string[:2] in self.pairs:
                if string not in self._strings:
                    self._strings[string] = self._pieces_of(string)
                pieces |= self._strings[string]
        return pieces

    def _pieces_of(self, string: str) -> int:
        if string not in self._squeezed:
            return 0
        return sum([1 << number for number, part in enumerate(self._parts) if string in part])

    def _stretches(self, pieces: int) -> Iterator[Span]:
        number = 0
        while pieces:
            skipped = (pieces & -pieces).bit_length() - 1
            number += skipped
            pieces >>= skipped
            length = (~pieces & (pieces + 1)).bit_length() - 1
            last = min(number + length - 1 + self._overlap, len(self._pieces) - 1)
            yield self._pieces[number][0], self._pieces[last][1]
            number += length
            pieces >>= length


def _cut(sentence: Span) -> Iterator[Span]:
    start, end = sentence
    for begin in range(start, end, _LONGEST):
        yield begin, min(begin + _LONGEST, end)
