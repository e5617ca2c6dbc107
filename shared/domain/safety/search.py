"""Finds many patterns in one text: a word of each first, in one walk, then a try where the word stands as it must."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ahocorasick_rs import AhoCorasick

from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading, Span


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
        self._automaton = AhoCorasick(owners, store_patterns=False)

    def walk(self, reading: Reading) -> Mapping[Pattern, Sequence[int]]:
        """Return the patterns that may match a text, and where their words stand in it, in order."""
        places: defaultdict[Pattern, list[int]] = defaultdict(list)
        owners, spaces = self._owners, reading.spaces
        for word, at, _ in self._automaton.find_matches_as_indexes(_encodable(reading.squeezed), overlapping=True):
            place = at + bisect_right(spaces, at)
            for pattern in owners[word]:
                places[pattern].append(place)
        for found in places.values():
            if len(found) > 1:
                found.sort()
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
        found = any(self._first(pattern, self._places[pattern]) for pattern in may)
        return found or (self.beside is not None and self.beside.any(patterns))

    def matching(self) -> list[Pattern]:
        """Return the patterns that match somewhere in the text."""
        return [pattern for pattern, places in self._places.items() if self._first(pattern, places)]

    def spans(self, pattern: Pattern) -> Iterator[Span]:
        """Yield where a pattern of the index matches, as the regular expression alone would."""
        anchor = pattern.prefilter.anchor
        places, begin = self._places.get(pattern, ()), 0
        while found := self._first(pattern, places, begin):
            yield found.span()
            begin = max(found.end(), found.start() + 1)
            places = places[bisect_left(places, begin + anchor.nearest) :] if anchor else ()

    def _first(self, pattern: Pattern, places: Sequence[int], begin: int = 0) -> re.Match[str] | None:
        """Return the first match from a place on. Most patterns that may match do not: the least is done for those."""
        text = self.reading.text
        anchor, _, _, reach = pattern.prefilter
        if anchor is None:
            return pattern.regex.search(text, begin)
        _, nearest, furthest = anchor
        if not furthest:
            match = pattern.regex.match
            for place in places:
                if found := match(text, place):
                    return found
            return None
        find = pattern.head.search
        for place in places:
            last, at = place - nearest, max(place - furthest, begin)
            while at <= last and (head := find(text, at, last + reach)) and (at := head.start()) <= last:
                if found := pattern.regex.match(text, at):
                    return found
                at += 1
            begin = last + 1
        return None


def _encodable(text: str) -> str:
    """Return a text of as many letters without lone surrogates, which no automaton takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
