"""The small pattern language of the rules, and what it compiles to.

Korean spacing is a matter of mood, so in a pattern
- two Hangul syllables side by side match with or without a space between them,
- a space means "a space or none",
- `<name>` stands for a fragment.
Classes and look-behinds are left as they are. Windows are written with an upper bound (`{0,20}`), and `*` and `+` have
one: up to eight words, up to 24 letters. So no match is longer than its pattern allows, and matching takes time in
proportion to the text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.prefilter import Anchor, Strings, anchor_of
from shared.domain.safety.reading import Places, Reading, Span

_AS_IT_IS = re.compile(r"(\\[a-zA-Z][*+]?|\\.|\(\?<[=!][^)]*\)|\[[^\]]*\][*+]?)")
_BETWEEN_SYLLABLES = re.compile(r"(?<=[가-힣])(?=[가-힣])")
_FRAGMENT = re.compile(r"<([a-z_]+)>")
_WORDS = {"*": "{0,8}", "+": "{1,8}"}
"""How often a group is repeated at most. Own figure: nobody writes nine intensifiers."""
_LETTERS = {"*": "{0,24}", "+": "{1,24}"}
"""How often a class is. Own figure: longer than the words of both languages."""


@dataclass(frozen=True)
class Pattern:
    """One expanded pattern; compiled when a text first has its words, which spares a cold start most of them."""

    source: str
    known_anchor: Anchor | None = None

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The regular expression.

        Raises:
            re.error: The source is none.
        """
        return re.compile(self.source)

    @cached_property
    def anchor(self) -> Anchor:
        """The words without which it cannot match."""
        return self.known_anchor or anchor_of(self.source)

    def spans(self, reading: Reading, places: Places | None = None) -> list[Span]:
        """Return where it matches in a text, as the regular expression alone would.

        Args:
            reading: The text.
            places: Where the strings of its anchor stand, if that is known already.
        """
        spans: list[Span] = []
        starts = self.starts(reading, places)
        if starts:
            text, match, done = reading.text, self.regex.match, 0
            for start in starts:
                if start >= done and (found := match(text, start)):
                    done = max(found.end(), start + 1)
                    spans.append(found.span())
        return spans

    def starts(self, reading: Reading, places: Places | None = None) -> Sequence[int]:
        """Return the places at which it is tried, in order; none twice."""
        anchor = self.anchor
        if anchor.strings is None:
            return range(len(reading) + 1)
        if places is None:
            places = [place for string in anchor.strings for place in reading.places(string)]
        if len(places) > 1:
            places = sorted({*places})
        if anchor.furthest:
            return _windows(reading.unsqueezed(places), anchor, reading.text)
        if anchor.also is not None:
            text, within = reading.squeezed, anchor.within
            places = [place for place in places if _any(anchor.also, text[place : place + within])]
        return reading.unsqueezed(places)

    def spans_in(self, reading: Reading, sentence: Span) -> Iterator[Span]:
        """Yield where it matches in one sentence; for the few sentences in which something was found."""
        return (found.span() for found in self.regex.finditer(reading.text, *sentence))


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
        spans = [span for pattern in self.patterns for span in pattern.spans(reading)]
        return frozenset(self.counted(reading, spans))

    def counted(self, reading: Reading, spans: Sequence[Span]) -> Iterator[int]:
        """Yield the numbers of the sentences in which some matches of its patterns count; often the first is enough."""
        hits: dict[int, list[Span]] = {}
        for span in spans:
            hits.setdefault(reading.sentence_at(span[0]), []).append(span)
        harmless = self.exclusions or self.unless
        return (number for number, here in hits.items() if not harmless or self._counts(reading, number, here))

    def _counts(self, reading: Reading, number: int, spans: Sequence[Span]) -> bool:
        start, end = reading.sentences[number]
        sentence = (start, max(end, *(last for _, last in spans)) if len(spans) > 1 else max(end, spans[0][1]))
        left = spans
        for exclusion in self.exclusions:
            for first, last in exclusion.spans_in(reading, sentence):
                left = [span for span in left if last <= span[0] or span[1] <= first]
                if not left:
                    return False
        return not any(silent.regex.search(reading.text, *sentence) for silent in self.unless)


def _any(strings: Strings, text: str) -> bool:
    return any(map(text.__contains__, strings))


def _windows(anchored: Places, anchor: Anchor, text: str) -> list[int]:
    _, nearest, furthest, first, also, within = anchor
    starts: list[int] = []
    begin = 0
    for at in anchored:
        end = at - nearest + 1
        if end > begin:
            window = range(max(begin, at - furthest), end)
            starts += window if first is None else [start for start in window if text[start] in first]
            begin = end
    if also is None or not starts:
        return starts
    # With its spaces a match is at most twice as long.
    return [start for start in starts if _any(also, text[start : start + 2 * within].replace(" ", ""))]


def expand(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return `pattern` as a regular expression.

    Raises:
        KeyError: It names a fragment that is not there.
    """
    pieces = _AS_IT_IS.split(_FRAGMENT.sub(lambda found: fragments[found[1]], pattern))
    pieces[::2] = [_spaced(piece) for piece in pieces[::2]]
    pieces[1::2] = [_bounded(piece) for piece in pieces[1::2]]
    return "".join(pieces)


def patterns_of(written: Sequence[str], fragments: Mapping[str, str]) -> tuple[Pattern, ...]:
    """Return `written` as patterns.

    Raises:
        KeyError: One names a fragment that is not there.
    """
    return tuple(Pattern(expand(pattern, fragments)) for pattern in written)


def _spaced(piece: str) -> str:
    for sign, times in _WORDS.items():
        piece = piece.replace(f"){sign}", f"){times}")
    return _BETWEEN_SYLLABLES.sub(" ?", piece.replace(" ", " ?"))


def _bounded(piece: str) -> str:
    sign = piece[-1]
    return piece[:-1] + _LETTERS[sign] if len(piece) > 2 and sign in _LETTERS else piece
