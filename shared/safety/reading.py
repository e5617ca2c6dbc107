"""One normalised text, and where its sentences and clauses stand."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from shared.safety.clauses import clause_starts, with_cause

Span: TypeAlias = tuple[int, int]

_APART = "! "
"""A sentence of which no match is part."""
_MARKS = ".?!"
_END = "\n"
"""No normalised text has one."""
_LAST_SYLLABLE = re.compile("[가-힣]{2} [가-힣]")
_PARTICLES = frozenset("에을를이가은는도로고서만의와과랑께면지아어야")


class Reading:
    """A normalised text.

    Attributes:
        squeezed: The text without its spaces: Korean spacing is a matter of mood.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._words = text.split(" ")
        self.squeezed = "".join(self._words)
        self._parts: dict[Span, Reading] = {}

    @cached_property
    def said(self) -> Sequence[str]:
        """The sentences, their marks included; together they are the text."""
        return _sentences(self.text)

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where each sentence begins, and at last where the text ends."""
        return list(accumulate(map(len, self.said), initial=0))

    def sentence(self, number: int) -> Span:
        """Return where a sentence begins and ends."""
        return self.starts[number], self.starts[number + 1]

    def part(self, span: Span) -> "Reading":
        """Return a stretch of the text."""
        if span not in self._parts:
            self._parts[span] = Reading(self.text[slice(*span)])
        return self._parts[span]

    def sentence_at(self, position: int) -> int:
        """Return the number of the sentence that holds `position`."""
        return max(bisect_right(self.starts, position, hi=len(self.said)) - 1, 0)

    def begins_inside_word(self, span: Span) -> bool:
        """Return whether a stretch has only the last syllable of its first word: "인생 사진" holds no 생사.

        A particle may be alone: "차에 뛰어들".
        """
        begin = span[0]
        around = self.text[max(begin - 1, 0) : begin + 3]
        return _LAST_SYLLABLE.fullmatch(around) is not None and around[1] not in _PARTICLES

    def clause(self, span: Span) -> Span:
        """Return the clauses that a stretch touches, with the cause before them (더워서 죽겠다)."""
        starts, (begin, end) = self._clause_starts, span
        at = bisect_right(starts, begin) - 1
        after = bisect_left(starts, end)
        first = with_cause(self.text, starts[at], starts[at - 1]) if at else 0
        return first, max(starts[after] if after < len(starts) else len(self.text), end)

    @cached_property
    def _clause_starts(self) -> Sequence[int]:
        return clause_starts(self.text)

    def differing(self, other: str, around: int) -> "Reading":
        """Return the sentences of another reading that this one does not have, with those around them.

        Args:
            other: Another reading of the same message.
            around: Sentences on both sides that come with each; what stands apart is kept as far apart.
        """
        said, known = _sentences(other), frozenset(self.said)
        kept: list[str] = []
        until = 0
        for number in (number for number, sentence in enumerate(said) if sentence not in known):
            first, end = max(number - around, until), min(number + around + 1, len(said))
            kept += [_APART * around] if first > until else []
            kept += said[first:end]
            until = end
        return Reading("".join(kept))

    @cached_property
    def spaces(self) -> list[int]:
        """For each space, how many letters stand before it; one more at the end, for all letters."""
        return list(accumulate(map(len, self._words)))


def _sentences(text: str) -> Sequence[str]:
    for mark in _MARKS:
        text = text.replace(mark, mark + _END)
    sentences = text.split(_END)
    return sentences if sentences[-1] else sentences[:-1]
