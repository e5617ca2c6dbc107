"""Finds many patterns in one text: a word of each first, in one walk, then a try where the word stands as it must."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ahocorasick_rs import BytesAhoCorasick

from shared.domain.safety.pattern_parts import Anchor
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading, Span

_UNIT = 2
"""Bytes of a unit of UTF-16."""
_WIDE = re.compile("[\U00010000-\U0010ffff]")
_FIRST_SURROGATE, _SURROGATES = 0xD800, 0x800


class PatternIndex:
    """Patterns that are looked for together, and the automaton (Aho and Corasick, 1975) that finds their words."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        """Build the automaton; ten thousand words take some hundredths of a second."""
        owners: dict[str, list[Pattern]] = {}
        self._everywhere: dict[Pattern, Sequence[int]] = {}
        for pattern in dict.fromkeys(patterns):
            if pattern.prefilter.anchor is None:
                self._everywhere[pattern] = ()
            else:
                for word in pattern.prefilter.anchor.strings:
                    owners.setdefault(word, []).append(pattern)
        self._owners = list(owners.values())
        self._automaton = BytesAhoCorasick(map(_units, owners))

    def walk(self, reading: Reading) -> Mapping[Pattern, Sequence[int]]:
        """Return the patterns that may match a text, and where their words stand in it, in no order."""
        places: defaultdict[Pattern, list[int]] = defaultdict(list)
        owners, spaces = self._owners, reading.spaces
        for word, unit, _ in self._automaton.find_matches_as_indexes(_units(reading.squeezed), overlapping=True):
            at = unit // _UNIT  # two halves of neighbours may look like a letter: then there is a place too many
            place = at + bisect_right(spaces, at)
            for pattern in owners[word]:
                places[pattern].append(place)
        return self._everywhere | places


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
        self.beside = beside
        self._places = index.walk(reading)
        self.may = self._places.keys()

    def again(self, index: PatternIndex) -> "Search":
        """Return a search of the same message for other patterns."""
        return Search(self.reading, index, self.beside and self.beside.again(index))

    def any(self, patterns: frozenset[Pattern] | None = None) -> bool:
        """Return whether one of some patterns, or of all, matches anywhere in the message."""
        may = self.may if patterns is None else self.may & patterns
        found = any(True for one in may for _ in self.spans(one))
        return found or (self.beside is not None and self.beside.any(patterns))

    def spans(self, pattern: Pattern) -> Iterator[Span]:
        """Yield where a pattern of the index matches, as the regular expression alone would."""
        anchor = pattern.prefilter.anchor
        if anchor is None:
            return (found.span() for found in pattern.regex.finditer(self.reading.text))
        places = self._places.get(pattern, ())
        if len(places) > 1:
            places = sorted(set(places))
        return self._far(pattern, anchor, places) if anchor.furthest else self._beginning_at(pattern, places)

    def _beginning_at(self, pattern: Pattern, places: Iterable[int]) -> Iterator[Span]:
        text, match, done = self.reading.text, pattern.regex.match, 0
        for place in places:
            if place >= done and (found := match(text, place)):
                done = found.end()
                yield found.span()

    def _far(self, pattern: Pattern, anchor: Anchor, places: Iterable[int]) -> Iterator[Span]:
        """Yield the matches that begin as far before a place as a word of theirs may stand from their beginning."""
        text, find, done = self.reading.text, pattern.head.search, 0
        (_, nearest, furthest), reach = anchor, pattern.prefilter.reach
        for place in places:
            last = place - nearest
            begin = max(place - furthest, done)
            while begin <= last and (head := find(text, begin, last + reach)) and head.start() <= last:
                begin = head.start() + 1
                if found := pattern.regex.match(text, begin - 1):
                    begin = found.end()
                    yield found.span()
            done = max(begin, last + 1)


def _units(text: str) -> bytes:
    """Return two bytes for each character; some of those that UTF-16 needs more for share theirs, as places may."""
    units = text.encode("utf-16-be", "surrogatepass")
    if len(units) == len(text) * _UNIT:
        return units
    return _WIDE.sub(_narrow, text).encode("utf-16-be", "surrogatepass")


def _narrow(wide: re.Match[str]) -> str:
    return chr(_FIRST_SURROGATE + ord(wide[0]) % _SURROGATES)
