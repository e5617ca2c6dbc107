"""The parts of a pattern, and what is known of each: all that it can match, or strings that it holds.

Spaces are left out of the strings, since nearly all of them are optional.
"""

from collections.abc import Sequence
from functools import cache
from math import fsum
from typing import NamedTuple, TypeAlias

from shared.safety.frequencies import Frequency

Strings: TypeAlias = frozenset[str]

_NO_LETTER = frozenset("^$")
_ESCAPED_BORDERS = frozenset("bB")
_LONGEST = 8
"""Letters of a string that are looked for; more tell no more."""
MANY = 400
"""Strings that are kept apart; what comes after them is read as something new. Own figure."""
ENDLESS = 1 << 20
"""More characters than any text has."""
EMPTY = frozenset(("",))


class Anchor(NamedTuple):
    """Strings one of which every match of a pattern holds, without spaces.

    Attributes:
        strings: One of them is in every match.
        nearest: Characters between the beginning of a match and that of the string, at least.
        furthest: The same, at most.
    """

    strings: Strings
    nearest: int = 0
    furthest: int = 0

    def shifted(self, least: int, most: int) -> "Anchor":
        """Return the anchor for what begins so many characters earlier."""
        return Anchor(self.strings, self.nearest + least, min(self.furthest + most, ENDLESS))

    @property
    def width(self) -> int:
        """Places beside the first at which a match can begin, the string's place given."""
        return self.furthest - self.nearest

    def frequency(self, frequency: Frequency) -> float:
        """Return how often one of the strings stands at a place."""
        # fsum: sets come in any order, and the choice between anchors must not depend on it.
        return fsum(map(frequency, self.strings))


class Part(NamedTuple):
    """What is known of a part of a pattern.

    Attributes:
        exact: All that it can match, where that is little.
        held: What it holds otherwise: every one of these.
        least: Characters that it spans, at least.
        most: The same, at most.
        first: The letters with which it can begin; None for any.
        blanks: Spaces that can stand before its first letter.
    """

    exact: Strings | None
    held: tuple[Anchor, ...]
    least: int
    most: int
    first: Strings | None
    blanks: int = 0

    def anchors(self) -> tuple[Anchor, ...]:
        """Return what every match holds."""
        anchor = None if self.held else anchor_of(self.exact, 0, self.blanks)
        return (anchor,) if anchor else self.held


NOTHING = Part(EMPTY, (), 0, 0, frozenset())
ANY_LETTER = Part(None, (), 1, 1, None)
SPACE = Part(EMPTY, (), 1, 1, frozenset(" "), 1)


def repeated(part: Part, least: int, most: int) -> Part:
    """Return a part as often as its quantifier says."""
    exact = None
    if part.exact == EMPTY:
        exact = EMPTY
    elif part.exact is not None and least == 0 and most == 1:
        exact = part.exact | EMPTY
    elif part.exact is not None and least == most == 1:
        exact = part.exact
    held = part.anchors() if least else ()
    blanks = min(part.blanks * (most if part.exact == EMPTY else 1), ENDLESS)
    return Part(exact, held, part.least * least, min(part.most * most, ENDLESS), part.first, blanks)


@cache
def words(text: str) -> Part:
    """Read alternatives that are words and optional spaces: most groups are, and many occur in several patterns."""
    written = text.split("|")
    strings = [word.replace("?", "").replace(" ", "") for word in written]
    exact = frozenset(strings)
    first = frozenset([string[:1] for string in strings]) - EMPTY
    blanks = max(word[: len(word) - len(word.lstrip(" ?"))].count(" ") for word in written)
    if blanks:
        first |= {" "}
    least, most = min(map(len, strings)), max(len(word) - word.count("?") for word in written)
    anchor = anchor_of(exact, 0, blanks)
    held = (anchor,) if anchor else ()
    return Part(exact if len(exact) <= MANY else None, held, least, most, first, blanks)


@cache
def letter(text: str) -> Part:
    """Read one letter, an escaped one, a border, or a space."""
    if text == " ":
        return SPACE
    if text in _NO_LETTER or text[1:] in _ESCAPED_BORDERS:
        return NOTHING
    if text == "." or (text[0] == "\\" and text[1].isalnum()):
        return ANY_LETTER
    return Part(frozenset((text[-1],)), (), 1, 1, frozenset(text[-1]))


@cache
def letter_class(text: str) -> Part:
    """Read a class of letters."""
    letters = text[1:-1]
    if letters[0] == "^" or set("-\\") & set(letters):
        return ANY_LETTER
    exact = frozenset(letters.replace(" ", "")) | (EMPTY if " " in letters else frozenset())
    return Part(exact, (), 1, 1, frozenset(letters), int(" " in letters))


def anchor_of(strings: Strings | None, nearest: int = 0, furthest: int = 0) -> Anchor | None:
    """Return the strings as an anchor, None where one of them is empty: then they tell nothing."""
    if strings is None or "" in strings:
        return None
    return Anchor(frozenset([string[:_LONGEST] for string in strings]), nearest, furthest)


def union(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Return one anchor for branches of which each holds one of its own."""
    strings = frozenset().union(*(one.strings for one in anchors))
    return (Anchor(strings, min(one.nearest for one in anchors), max(one.furthest for one in anchors)),)
