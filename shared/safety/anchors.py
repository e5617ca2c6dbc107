"""What every match of a pattern holds, read from the pattern: strings, and how far from its beginning they stand.

The patterns are of our own language (groups, classes, quantifiers; patterns.py). It may name too many places, never too
few. Spaces are left out of the strings, since nearly all of them are optional.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from shared.safety.frequencies import Frequency
from shared.safety.pattern_parts import (
    EMPTY,
    ENDLESS,
    MANY,
    NOTHING,
    Anchor,
    Part,
    Strings,
    anchor_of,
    letter,
    letter_class,
    repeated,
    union,
    words,
)

_TOKEN = re.compile(
    r"""\(\?:(?P<words>(?:[^\\()\[\]?*+{}.^$ ]|[ ]\?{0,2})*)\)
    | (?P<open>\((?:\?(?:<?[=!]|:))?)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<letters>(?:[^\\()\[\]|?*+{}.^$ ](?:[ ]\?)?)+(?![?*+{]))
    | (?P<one>\[\^?[^\]]*\]|\\.|[^\\])""",
    re.VERBOSE,
)
_QUANTIFIER = re.compile(r"(?:([?*+])|\{(\d+)(,?)(\d*)\})\??")
_GROUPS = frozenset(("(", "(?:"))
_LOOK_AHEAD = frozenset(("(?=", "(?!"))


class Held(NamedTuple):
    """What is known of the matches of a pattern.

    Attributes:
        anchors: What every match holds, each for itself.
        first: The letters with which one can begin, a space among them; None for any.
        head: Characters of the pattern, from its beginning, that match at least a letter.
        reach: Characters of a text that decide whether they match, at most.
    """

    anchors: frozenset[Anchor]
    first: Strings | None
    head: int
    reach: int


def held_by(pattern: str, frequency: Frequency) -> Held:
    """Return what every match of a pattern holds, and where one can be.

    Args:
        pattern: The pattern.
        frequency: How often strings stand in texts: of what a part of a match holds, the rarer is named.

    Raises:
        ValueError: It is not of our pattern language.
    """
    reader = _Reader(pattern, frequency)
    part = reader.alternatives()
    head, reach = reader.head or (len(pattern), ENDLESS)
    return Held(frozenset(part.anchors()), part.first if part.least else None, head, reach)


class _Run:
    """A sequence of parts that is being read.

    Attributes:
        least: Characters that it spans as far as it was read, at least.
        most: The same, at most.
    """

    def __init__(self, frequency: Frequency) -> None:
        self._cost = partial(_cost, frequency=frequency)
        self._exact: Strings = EMPTY
        self._near = self._far = self._blanks = 0
        self.least = self.most = 0
        self._whole = True
        self._first: Strings | None = frozenset()
        self._offers: dict[int, Anchor] = {}
        self._stretch = 0

    def add(self, part: Part) -> None:
        """Go on with a part."""
        if part.exact is None or len(self._exact) * len(part.exact) > MANY:
            self._begin_anew(part)
        else:
            if len(part.exact) > 1:
                self._offer_what_was_read()
            if "" in self._exact:
                self._blanks += part.blanks
            self._exact = frozenset([head + tail for head in self._exact for tail in part.exact])
        if self.least == 0 and self._first is not None:
            self._first = None if part.first is None else self._first | part.first
        self.least += part.least
        self.most = min(self.most + part.most, ENDLESS)

    def part(self) -> Part:
        """Return what the sequence comes to."""
        self._offer_what_was_read()
        exact = self._exact if self._whole else None
        return Part(exact, tuple(self._offers.values()), self.least, self.most, self._first, self._blanks)

    def _begin_anew(self, part: Part) -> None:
        self._whole = False
        self._offer_what_was_read()
        self._stretch += 1
        for anchor in part.held:
            self._offer(anchor.shifted(self.least, self.most))
            self._stretch += 1
        self._exact = part.exact or EMPTY
        self._near, self._far, self._blanks = self.least, self.most, part.blanks if part.exact else 0
        if part.exact is None:
            self._near += part.least
            self._far = min(self._far + part.most, ENDLESS)

    def _offer_what_was_read(self) -> None:
        self._offer(anchor_of(self._exact, self._near, self._far + self._blanks))

    def _offer(self, anchor: Anchor | None) -> None:
        if anchor and anchor.furthest < ENDLESS:
            known = self._offers.get(self._stretch)
            if known is None or self._cost(anchor) < self._cost(known):
                self._offers[self._stretch] = anchor


class _Reader:
    """Reads one pattern from left to right.

    Attributes:
        head: How much of the pattern matches at least a letter, and how far that looks; None where no part does.
    """

    def __init__(self, pattern: str, frequency: Frequency) -> None:
        self._pattern = pattern
        self._frequency = frequency
        self._at = self._depth = 0
        self._ahead = 1  # for the border of a word
        self.head: tuple[int, int] | None = None

    def alternatives(self) -> Part:
        """Read to the end or to the bracket that closes the group, which is consumed."""
        run, branches = _Run(self._frequency), []
        while self._at < len(self._pattern):
            token = _token(self._pattern, self._at)
            self._at = token.end()
            if token.lastgroup == "close":
                break
            if token.lastgroup == "bar":
                branches.append(run.part())
                run = _Run(self._frequency)
            else:
                run.add(self._quantified(self._part(token)))
                if self._depth == 0 and self.head is None and run.least:
                    self.head = (self._at, run.most + self._ahead)
        branches.append(run.part())
        if self._depth == 0 and len(branches) > 1:
            self.head = None
        return branches[0] if len(branches) == 1 else self._either(branches)

    def _part(self, token: re.Match[str]) -> Part:
        text = token[0]
        match token.lastgroup:
            case "open":
                self._depth += 1
                inside = self.alternatives()
                self._depth -= 1
                if text in _LOOK_AHEAD:
                    self._ahead += inside.most
                return inside if text in _GROUPS else NOTHING
            case "words":
                return words(token["words"])
            case "letters":
                letters = text.replace(" ?", "")
                return Part(frozenset((letters,)), (), len(letters), len(text) - text.count("?"), frozenset(text[0]))
            case _:
                return letter_class(text) if text[0] == "[" else letter(text)

    def _quantified(self, part: Part) -> Part:
        found = _QUANTIFIER.match(self._pattern, self._at)
        if found is None:
            return part
        self._at = found.end()
        sign, low, comma, high = found.groups()
        least = int(low) if low else int(sign == "+")
        most = 1 if sign == "?" else ENDLESS if sign or (comma and not high) else int(high or low)
        return repeated(part, least, most)

    def _either(self, branches: Sequence[Part]) -> Part:
        sets = [part.exact for part in branches if part.exact is not None]
        exact = frozenset().union(*sets) if len(sets) == len(branches) else None
        cost = partial(_cost, frequency=self._frequency)
        anchors = [min(part.anchors(), key=cost) for part in branches if part.anchors()]
        held = union(anchors) if len(anchors) == len(branches) else ()
        if exact is not None and len(exact) > MANY:
            exact = None
        firsts = [part.first for part in branches if part.first is not None]
        first = frozenset().union(*firsts) if len(firsts) == len(branches) else None
        least, most = min(part.least for part in branches), max(part.most for part in branches)
        return Part(exact, held, least, most, first, max(part.blanks for part in branches))


def _token(pattern: str, at: int) -> re.Match[str]:
    token = _TOKEN.match(pattern, at)
    if token is None:
        raise ValueError(f"not of our pattern language: {pattern[at:]}")
    return token


def _cost(anchor: Anchor, frequency: Frequency) -> float:
    return anchor.frequency(frequency) * (8 + anchor.width)
