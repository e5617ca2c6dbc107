"""Finds many patterns in one text: a word of each first, in one walk, then a try where the word stands as it must."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap

from ahocorasick_rs import AhoCorasick

from shared.domain.safety.pattern_parts import Anchor
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading, Span


class PatternIndex:
    """Patterns that are looked for together, and the automaton (Aho and Corasick, 1975) that finds their words.

    Attributes:
        everywhere: Those that are tried everywhere, for want of a word that tells where.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        """Build the automaton; ten thousand words take some hundredths of a second."""
        owners: dict[str, list[Pattern]] = {}
        everywhere: dict[Pattern, Sequence[int]] = {}
        for pattern in dict.fromkeys(patterns):
            if pattern.prefilter.anchor is None:
                everywhere[pattern] = ()
            else:
                for word in pattern.prefilter.anchor.strings:
                    owners.setdefault(word, []).append(pattern)
        self.everywhere: Mapping[Pattern, Sequence[int]] = everywhere
        self._owners = list(owners.values())
        self._automaton = AhoCorasick(owners, store_patterns=False)

    def walk(self, reading: Reading) -> Mapping[Pattern, Sequence[int]]:
        """Return the patterns that may match a text, and where their words stand in it, in order."""
        words = self._words(reading.squeezed)
        if not words:
            return self.everywhere
        places: defaultdict[Pattern, list[int]] = defaultdict(list)
        owners, spaces = self._owners, reading.spaces
        for word, at, _ in words:
            place = at + bisect_right(spaces, at)
            for pattern in owners[word]:
                places[pattern].append(place)
        for found in places.values():
            if len(found) > 1:
                found.sort()
        return {**self.everywhere, **places}

    def _words(self, squeezed: str) -> list[tuple[int, int, int]]:
        try:
            return self._automaton.find_matches_as_indexes(squeezed, overlapping=True)
        except UnicodeEncodeError:  # a lone surrogate
            encodable = squeezed.encode(errors="replace").decode()
            return self._automaton.find_matches_as_indexes(encodable, overlapping=True)


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

    def holds(self, index: PatternIndex) -> bool:
        """Return whether one of other patterns matches anywhere in the message; the quickest to ask come first."""
        return (
            any(starmap(self._matches, index.everywhere.items()))
            or any(self._matches(pattern, places) for pattern, places in index.walk(self.reading).items() if places)
            or (self.beside is not None and self.beside.holds(index))
        )

    def any(self, patterns: frozenset[Pattern] | None = None) -> bool:
        """Return whether one of some patterns of the index, or of all, matches anywhere in the message."""
        places = self._places
        asked = self.may if patterns is None else self.may & patterns
        found = any(self._matches(pattern, places[pattern]) for pattern in asked)
        return found or (self.beside is not None and self.beside.any(patterns))

    def matching(self) -> list[Pattern]:
        """Return the patterns that match somewhere in the text."""
        return [pattern for pattern, places in self._places.items() if self._matches(pattern, places)]

    def _matches(self, pattern: Pattern, places: Sequence[int]) -> bool:
        """Tell whether there are spans; with no iterator, as most patterns that may match have none."""
        text = self.reading.text
        if pattern.begins_with_word:
            match = pattern.regex.match
            for place in places:  # noqa: SIM110 - an iterator takes longer than the one try that most have
                if match(text, place):
                    return True
            return False
        anchor, _, _, reach = pattern.prefilter
        _, nearest, furthest = anchor or Anchor(frozenset(), 0, len(text))
        find, done = pattern.head.search, 0
        for place in places if anchor else (len(text),):
            last, begin = place - nearest, max(place - furthest, done)
            while begin <= last and (head := find(text, begin, last + reach)) and (begin := head.start()) <= last:
                if pattern.regex.match(text, begin):
                    return True
                begin += 1
            done = last + 1
        return False

    def spans(self, pattern: Pattern) -> Iterator[Span]:
        """Yield where a pattern of the index matches, as the regular expression alone would."""
        anchor, places = pattern.prefilter.anchor, self._places.get(pattern, ())
        if anchor is None:
            return (found.span() for found in pattern.regex.finditer(self.reading.text))
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
