"""What a rule finds, and in which sentences of a text."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import Pattern
from shared.safety.reading import Reading, Span
from shared.safety.search import PatternIndex, Search

Hit: TypeAlias = tuple[int, Span]
"""The number of a sentence, and where in the text a pattern matches."""


class _Excluded:
    """Where exclusions match in a stretch of text: a clause, or a sentence.

    Args:
        reading: The text.
        stretch: Where in it.
        index: The exclusions.
        guarded: Whether what speaks against one of them may stand behind the stretch.
    """

    def __init__(self, reading: Reading, stretch: Span, index: PatternIndex, *, guarded: bool) -> None:
        self._text = reading.text if guarded else ""
        self._start = stretch[0]
        self._search = Search(reading.part(stretch), index)
        self._asked = False

    def overlaps(self, span: Span) -> bool:
        """Return whether one of them overlaps `span`; a second question has all of them found, once."""
        begin, end = span
        if not self._asked:
            self._asked = True
            return any(first < end and begin < last for first, last in self._spans())
        at = bisect_left(self._firsts, end)
        return at > 0 and begin < self._furthest[at - 1]

    def _spans(self) -> Iterator[Span]:
        for pattern in self._search.may:
            for first, last in self._search.spans(pattern):
                begin = self._start + first
                if not self._text or pattern.regex.match(self._text, begin):
                    yield begin, self._start + last

    @cached_property
    def _sorted(self) -> Sequence[Span]:
        return sorted(self._spans())

    @cached_property
    def _firsts(self) -> Sequence[int]:
        return [first for first, _ in self._sorted]

    @cached_property
    def _furthest(self) -> Sequence[int]:
        """How far the spans up to each reach."""
        return list(accumulate((last for _, last in self._sorted), max))


@dataclass(frozen=True)
class Rule:
    """One compiled rule.

    Attributes:
        exclusions: A hit that overlaps one of these does not count; other hits of the rule still do.
        unless: A hit does not count when one of these is in the same sentence.
        by_clause: Both count only where they stand in the clause of the hit, as for the rules of a crisis. Not so for
            signs, which come to a concern at most, and words of safety, which all of their sentence takes back.
    """

    id: str
    outcome: CrisisOutcome
    patterns: tuple[Pattern, ...]
    exclusions: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    by_clause: bool = False

    @property
    def all_patterns(self) -> tuple[Pattern, ...]:
        """All that is looked for, and all that speaks against it."""
        return (*self.patterns, *self.exclusions, *self.unless)

    def sentences(self, search: Search) -> Iterator[int]:
        """Yield the numbers of the sentences in which the rule finds something, each once."""
        return self.counting_sentences(search, self.hits(search, self.patterns))

    def hits(self, search: Search, patterns: Iterable[Pattern]) -> Iterator[Hit]:
        """Yield where patterns of the rule match, whatever speaks against it."""
        for pattern in patterns:
            for span in search.spans(pattern):
                if not search.reading.begins_inside_word(span):
                    yield search.reading.sentence_at(span[0]), span

    def counting(self, search: Search, hits: Iterable[Hit]) -> Iterator[Hit]:
        """Yield the hits that count."""
        if not self.exclusions and not self.unless:
            yield from hits
            return
        reading = search.reading
        excluded: dict[Span, _Excluded] = {}
        silent: dict[Span, bool] = {}
        for number, span in hits:
            around = self._around(reading, number, span)
            if around not in excluded:
                excluded[around] = _Excluded(reading, around, self._excluding, guarded=self.by_clause)
                silent[around] = bool(self.unless) and Search(reading.part(around), self._silencing).any()
            if not silent[around] and not excluded[around].overlaps(span):
                yield number, span

    def counting_sentences(self, search: Search, hits: Iterable[Hit]) -> Iterator[int]:
        """Yield the numbers of the sentences in which a hit counts, each once."""
        done: set[int] = set()
        for number, _ in self.counting(search, (hit for hit in hits if hit[0] not in done)):
            if number not in done:
                done.add(number)
                yield number

    def _around(self, reading: Reading, number: int, span: Span) -> Span:
        if self.by_clause:
            return reading.clause(span)
        start, end = reading.sentence(number)
        return start, max(end, span[1])

    @cached_property
    def _excluding(self) -> PatternIndex:
        return PatternIndex(self.exclusions)

    @cached_property
    def _silencing(self) -> PatternIndex:
        return PatternIndex(self.unless)
