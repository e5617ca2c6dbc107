"""Finds many patterns in one text: a word of each first, in one walk, then a try where the word stands as it must."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ahocorasick_rs import AhoCorasick

from shared.safety.patterns import Pattern
from shared.safety.reading import Reading, Span


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
        text = self.reading.text
        return (
            any(_matches(text, pattern, places) for pattern, places in index.everywhere.items())
            or any(_matches(text, pattern, places) for pattern, places in index.walk(self.reading).items() if places)
            or (self.beside is not None and self.beside.holds(index))
        )

    def any(self, patterns: frozenset[Pattern] | None = None) -> bool:
        """Return whether one of some patterns of the index, or of all, matches anywhere in the message."""
        text, places = self.reading.text, self._places
        asked = self.may if patterns is None else self.may & patterns
        found = any(_matches(text, pattern, places[pattern]) for pattern in asked)
        return found or (self.beside is not None and self.beside.any(patterns))

    def matching(self) -> list[Pattern]:
        """Return the patterns that match somewhere in the text."""
        text = self.reading.text
        return [pattern for pattern, places in self._places.items() if _matches(text, pattern, places)]

    def spans(self, pattern: Pattern) -> Iterator[Span]:
        """Yield where a pattern of the index matches, as the regular expression alone would."""
        if pattern.prefilter.anchor is None:
            return (found.span() for found in pattern.regex.finditer(self.reading.text))
        places = self._places.get(pattern, ())
        return (self._beginning_at if pattern.trial.at_once else self._far)(pattern, places)

    def _beginning_at(self, pattern: Pattern, places: Iterable[int]) -> Iterator[Span]:
        text, match, done = self.reading.text, pattern.regex.match, 0
        for place in places:
            if place >= done and (found := match(text, place)):
                done = found.end()
                yield found.span()

    def _far(self, pattern: Pattern, places: Iterable[int]) -> Iterator[Span]:
        """Yield the matches that begin as far before a place as a word of theirs may stand from their beginning."""
        text, done = self.reading.text, 0
        _, look, nearest, furthest, reach = pattern.trial
        for place in places:
            last = place - nearest
            begin = max(place - furthest, done)
            while begin <= last and (head := look(text, begin, last + reach)) and head.start() <= last:
                begin = head.start() + 1
                if found := pattern.regex.match(text, begin - 1):
                    begin = found.end()
                    yield found.span()
            done = max(begin, last + 1)


def _matches(text: str, pattern: Pattern, places: Sequence[int]) -> bool:
    """Tell whether a pattern matches somewhere; with no iterator, as most that may match do not.

    Args:
        text: Where.
        pattern: What.
        places: Where its words stand; none for a pattern that is tried everywhere.
    """
    if not places:
        return pattern.regex.search(text) is not None
    at_once, look, nearest, furthest, reach = pattern.trial
    if at_once:
        for place in places:  # noqa: SIM110 - an iterator takes longer than the one try that most have
            if look(text, place):
                return True
        return False
    done = 0
    for place in places:
        last, begin = place - nearest, place - furthest
        begin = begin if begin > done else done  # noqa: FURB136 - a call of max takes a tenth of all this
        while begin <= last and (head := look(text, begin, last + reach)) and (begin := head.start()) <= last:
            if pattern.regex.match(text, begin):
                return True
            begin += 1
        done = last + 1
    return False
