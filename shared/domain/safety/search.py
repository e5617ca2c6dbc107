"""Finds many patterns in one text: their words first, in one walk, then a try where the words stand as they must.

Whole sets of patterns and of places are handled as numbers, a bit for each pattern or place: so all patterns are
weighed against a stretch of the text, or two words of a pattern against each other everywhere, by a few operations.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ahocorasick_rs import AhoCorasick

from shared.domain.safety.anchors import Anchor
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.prefilter import MOST_ANCHORS
from shared.domain.safety.reading import Reading, Span

_Words: TypeAlias = Mapping[int, list[int]]
"""Where each word stands in a text without spaces, by its number."""

_BLOCK = 128
"""Characters of a block, spaces left out. Own figure: words of a match nearly always stand in neighbouring blocks."""


class PatternIndex:
    """Patterns that are looked for together, and the automaton (Aho and Corasick, 1975) that finds their words.

    Attributes:
        anchors: Those of each pattern, with the numbers of their words.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        """Build the automaton; ten thousand words take some hundredths of a second."""
        self._patterns = tuple(dict.fromkeys(patterns))
        self._everywhere = tuple(one for one in self._patterns if not one.prefilter.anchors)
        self.anchors: dict[Pattern, list[tuple[frozenset[int], Anchor]]] = {}
        words: dict[str, int] = {}
        owners: list[list[int]] = []
        unneeded: list[int] = []
        for number, pattern in enumerate(self._patterns):
            known = self.anchors[pattern] = []
            for anchor in _neighbouring(pattern.prefilter.anchors):
                ids = frozenset([words.setdefault(string, len(words)) for string in anchor.strings])
                owners += ([] for _ in range(len(words) - len(owners)))
                for word in ids:
                    owners[word].append(self._bit(number, len(known)))
                known.append((ids, anchor))
            unneeded += (self._bit(number, rank) for rank in range(len(known), MOST_ANCHORS))
        self._unneeded = _number(unneeded)
        self._bits = _Bits(owners)
        self._automaton = AhoCorasick(words, store_patterns=False)

    def walk(self, text: str) -> tuple[_Words, dict[Pattern, None]]:
        """Return what stands in a text without spaces, and the patterns that may match, in order."""
        words: defaultdict[int, list[int]] = defaultdict(list)
        standing = [0] * (len(text) // _BLOCK + 2)  # The last stands before the first, and empty.
        bits = self._bits
        for word, at, _ in self._automaton.find_matches_as_indexes(_encodable(text), overlapping=True):
            words[word].append(at)
        for word, places in words.items():
            mask = bits[word]
            for block in {at // _BLOCK for at in places}:
                standing[block] |= mask
        found = (self._patterns[number] for number in _places(self._may(standing)))
        return words, dict.fromkeys((*self._everywhere, *found))

    def _may(self, standing: Sequence[int]) -> int:
        """Return the patterns that have a word of each of their anchors in neighbouring blocks, a bit for each."""
        count = len(self._patterns)
        every = (1 << count) - 1
        may = 0
        for block in range(len(standing) - 1):
            near = standing[block - 1] | standing[block] | standing[block + 1] | self._unneeded
            here = standing[block] & every
            for rank in range(1, MOST_ANCHORS):
                here &= near >> rank * count
            may |= here
        return may

    def _bit(self, number: int, rank: int) -> int:
        return number + rank * len(self._patterns)


class _Bits(dict[int, int]):
    """For each word a number with the bits of its anchors, made when a text first has it."""

    def __init__(self, owners: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self._owners = owners

    def __missing__(self, word: int) -> int:
        self[word] = _number(self._owners[word])
        return self[word]


class Search:
    """One text in which the patterns of an index are looked for.

    Attributes:
        may: The patterns that may match.
        beside: Another reading of the same message, of which this one has only what differs.
    """

    def __init__(self, reading: Reading, index: PatternIndex, beside: "Search | None" = None) -> None:
        """Walk through the text.

        Args:
            reading: The text.
            index: The patterns.
            beside: Another reading of the same message, of which this one has only what differs.
        """
        self.reading = reading
        self._anchors = index.anchors
        self.beside = beside
        self._words, may = index.walk(reading.squeezed)
        self.may = may.keys()
        self._masks: dict[int, int] = {}
        self._starts: dict[Pattern, Sequence[int]] = {}

    def spans(self, pattern: Pattern) -> Iterator[Span]:
        """Yield where a pattern of the index matches, as the regular expression alone would."""
        text, done = self.reading.text, 0
        for start in self.starts(pattern):
            if start >= done and (found := pattern.regex.match(text, start)):
                done = max(found.end(), start + 1)
                yield found.span()

    def any(self, patterns: frozenset[Pattern] | None = None) -> bool:
        """Return whether one of some patterns, or of all, matches anywhere in the message."""
        may = self.may if patterns is None else self.may & patterns
        found = any(True for one in may for _ in self.spans(one))
        return found or (self.beside is not None and self.beside.any(patterns))

    def starts(self, pattern: Pattern) -> Sequence[int]:
        """Return the places at which a pattern is tried, in order; none twice."""
        if pattern not in self._starts:
            self._starts[pattern] = self._computed(pattern) if self._anchors[pattern] else range(len(self.reading) + 1)
        return self._starts[pattern]

    def _computed(self, pattern: Pattern) -> Sequence[int]:
        if pattern not in self.may:
            return ()
        (words, narrowest), *others = self._anchors[pattern]
        if others:
            standing = self._standing(words)
            for other_words, other in others:
                standing &= _spread(self._standing(other_words), narrowest, other)
            found = _places(standing)
        else:
            places = [self._words[word] for word in words & self._words.keys()]
            found = places[0] if len(places) == 1 else sorted(set().union(*places))
        starts = self.reading.unsqueezed(found)
        return _windows(starts, narrowest, self.reading.text, pattern.prefilter.first) if narrowest.furthest else starts

    def _standing(self, words: frozenset[int]) -> int:
        """Return where some words stand in the text without its spaces, a bit for each place."""
        standing = 0
        for word in words & self._words.keys():
            if word not in self._masks:
                self._masks[word] = _number(self._words[word])
            standing |= self._masks[word]
        return standing


def _neighbouring(anchors: Sequence[Anchor]) -> Iterator[Anchor]:
    """Yield the first anchor, and those whose words are never further from its own than a block is long."""
    for anchor in anchors:
        before, behind = _reach(anchors[0], anchor)
        if max(before, behind) <= _BLOCK or anchor is anchors[0]:
            yield anchor


def _reach(narrowest: Anchor, other: Anchor) -> Span:
    """Return how far before and behind a word of another anchor one of the narrowest can stand."""
    return max(other.furthest - narrowest.nearest, 0), max(narrowest.furthest - other.nearest, 0)


def _spread(standing: int, narrowest: Anchor, other: Anchor) -> int:
    """Return where words of the narrowest anchor may stand beside those of another, a bit for each place."""
    before, behind = _reach(narrowest, other)
    width, spread = 1, standing << behind
    while width <= before + behind:
        step = min(width, before + behind + 1 - width)
        spread |= spread >> step
        width += step
    return spread


def _number(bits: Iterable[int]) -> int:
    """Return the number with some bits set, none of them named twice."""
    return sum([1 << bit for bit in bits])


def _places(number: int) -> list[int]:
    """Return which bits of a number are set, in order."""
    places = []
    while number:
        lowest = number & -number
        places.append(lowest.bit_length() - 1)
        number ^= lowest
    return places


def _windows(places: Iterable[int], anchor: Anchor, text: str, first: frozenset[str] | None) -> list[int]:
    """Return where a match may begin that has one of its words at one of some places."""
    starts: list[int] = []
    begin = 0
    for place in places:
        end = place - anchor.nearest + 1
        window = range(max(begin, place - anchor.furthest), end)
        starts += window if first is None else [start for start in window if text[start] in first]
        begin = max(begin, end)
    return starts


def _encodable(text: str) -> str:
    """Return a text of as many letters without lone surrogates, which no automaton takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
