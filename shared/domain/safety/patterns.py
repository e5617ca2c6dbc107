"""The small pattern language of the rules, and what it compiles to.

Korean spacing is a matter of mood, so in a pattern
- two Hangul syllables side by side match with or without a space between them,
- a space means "a space or none",
- `<name>` stands for a fragment.
Classes and look-behinds are left as they are. Windows are written with an upper bound (`{0,20}`), which keeps the
matching linear in the text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.prefilter import clauses
from shared.domain.safety.reading import Clause, Reading, Span

_GAP = " ?"
_ACROSS = re.compile(r"\[(?:\^\?!|\.\?!)")
"""A full stop that a pattern asks for or lets pass: it reaches over the end of a sentence."""

_TOKEN = re.compile(r"\(\?<[=!][^)]*\)|\[[^\]]*\]|[가-힣](?=[가-힣])| ")
_FRAGMENT = re.compile(r"<([a-z_]+)>")


@dataclass(frozen=True)
class Pattern:
    """One expanded pattern; compiled when a text first has its words, which spares a cold start most of them."""

    source: str

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The regular expression.

        Raises:
            re.error: The source is none.
        """
        return re.compile(self.source)

    @cached_property
    def needs(self) -> tuple[Clause, ...]:
        """The words without which it cannot match."""
        return clauses(self.source)

    @cached_property
    def _across(self) -> bool:
        return _ACROSS.search(self.source) is not None

    def spans(self, reading: Reading) -> Iterator[Span]:
        """Yield where it matches in a text."""
        for start, end in reading.regions(self.needs, across=self._across):
            for found in self.regex.finditer(reading.text, start, end):
                yield found.span()

    def spans_in(self, reading: Reading, sentence: Span) -> Iterator[Span]:
        """Yield where it matches in one sentence; for the few sentences in which something was found."""
        for found in self.regex.finditer(reading.text, *sentence):
            yield found.span()


@dataclass(frozen=True, slots=True)
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

    def sentences(self, reading: Reading) -> frozenset[int]:
        """Return the numbers of the sentences in which the rule finds something."""
        hits: dict[int, list[Span]] = {}
        pairs = reading.pairs
        for pattern in self.patterns:
            if pattern.needs and pattern.needs[0].beginnings.isdisjoint(pairs):
                continue
            for span in pattern.spans(reading):
                hits.setdefault(reading.sentence_at(span[0]), []).append(span)
        return frozenset(number for number, spans in hits.items() if self._counts(reading, number, spans))

    def _counts(self, reading: Reading, number: int, spans: Sequence[Span]) -> bool:
        start, end = reading.sentences[number]
        sentence = (start, max(end, *(last for _, last in spans)) if len(spans) > 1 else max(end, spans[0][1]))
        excluded = bytearray(sentence[1] - start)
        for exclusion in self.exclusions:
            for first, last in exclusion.spans_in(reading, sentence):
                excluded[first - start : last - start] = b"\x01" * (last - first)
        if all(any(excluded[first - start : last - start]) for first, last in spans):
            return False
        return not any(silent.regex.search(reading.text, *sentence) for silent in self.unless)


def expand(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return `pattern` as a regular expression.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    return _TOKEN.sub(_spaced, _FRAGMENT.sub(lambda found: fragments[found[1]], pattern))


def patterns_of(written: Sequence[str], fragments: Mapping[str, str]) -> tuple[Pattern, ...]:
    """Return `written` as patterns.

    Raises:
        KeyError: One names a fragment that is not there.
    """
    return tuple(Pattern(expand(pattern, fragments)) for pattern in written)


def _spaced(found: re.Match[str]) -> str:
    piece = found[0]
    if piece == " ":
        return _GAP
    return piece if piece[0] in "([" else piece + _GAP
