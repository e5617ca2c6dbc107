"""What a rule finds, and in which sentences of a text."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading, Span
from shared.domain.safety.search import PatternIndex, Search

Hit: TypeAlias = tuple[int, Span]
"""The number of a sentence, and where in the text a pattern matches."""


@dataclass(frozen=True)
class Rule:
    """One compiled rule.

    Attributes:
        exclusions: A hit that overlaps one of these does not count; other hits of the rule still do.
        unless: A hit does not count when one of these is in the same sentence.
    """

    id: str
    outcome: CrisisOutcome
    patterns: tuple[Pattern, ...]
    exclusions: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()

    @property
    def all_patterns(self) -> tuple[Pattern, ...]:
        """All that is looked for, and all that speaks against it."""
        return (*self.patterns, *self.exclusions, *self.unless)

    def sentences(self, search: Search, patterns: Iterable[Pattern] | None = None) -> Iterator[int]:
        """Yield the numbers of the sentences in which the rule finds something, each once; often the first is enough.

        Args:
            search: The text.
            patterns: Those of its patterns that may match, where that is known.
        """
        return self.counting(search, self.hits(search, self.patterns if patterns is None else patterns))

    def hits(self, search: Search, patterns: Iterable[Pattern]) -> Iterator[Hit]:
        """Yield where patterns of the rule match, whatever speaks against it."""
        for pattern in patterns:
            for span in search.spans(pattern):
                yield search.reading.sentence_at(span[0]), span

    def counting(self, search: Search, hits: Iterable[Hit]) -> Iterator[int]:
        """Yield the numbers of the sentences in which a hit counts, each once."""
        done: set[int] = set()
        for number, span in hits:
            if number not in done and not self._excluded(search.reading, number, span):
                done.add(number)
                if not self._silent(search.reading, number):
                    yield number

    def _excluded(self, reading: Reading, number: int, span: Span) -> bool:
        if not self.exclusions:
            return False
        start, end = reading.sentence(number)
        sentence = Search(reading.part((start, max(end, span[1]))), self._excluding)
        return any(
            first < span[1] - start and span[0] - start < last
            for exclusion in sentence.may
            for first, last in sentence.spans(exclusion)
        )

    def _silent(self, reading: Reading, number: int) -> bool:
        return bool(self.unless) and Search(reading.part(reading.sentence(number)), self._silencing).any()

    @cached_property
    def _excluding(self) -> PatternIndex:
        return PatternIndex(self.exclusions)

    @cached_property
    def _silencing(self) -> PatternIndex:
        return PatternIndex(self.unless)
