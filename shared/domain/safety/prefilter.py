"""Where in a text a pattern is worth trying.

Trying hundreds of patterns on 4,000 characters costs hundreds of milliseconds; finding their words first costs one.
`anchor_of` reads a pattern of our own language (groups, classes, quantifiers; see patterns.py) and names strings one of
which every match holds, and how far from its beginning. It may name too many places, never too few. Spaces are left out
of the strings, and of the text they are looked for in (reading.py), since nearly all of them are optional.
"""

import re
from collections.abc import Iterable
from functools import cache
from math import fsum
from typing import NamedTuple, TypeAlias

Strings: TypeAlias = frozenset[str]

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
_NO_LETTER = frozenset("^$")
_ESCAPED_BORDERS = frozenset("bB")
_LONGEST = 6
"""Letters of a string that are looked for; more tell no more."""
_MANY = 96
"""Strings that are kept apart; what comes after them is read as something new. Own figure."""
_FEW = 64
"""Strings that are looked for behind a place before a pattern is tried. Own figure: more cost as much as a try."""
_ENDLESS = 1 << 20
_EMPTY = frozenset(("",))
_FREQUENT = {False: (1.0, 0.02, 1e-3, 2e-4, 1e-4, 1e-4, 1e-4), True: (1.0, 0.08, 1e-2, 3e-3, 1e-3, 4e-4, 2e-4)}
"""How often a string of so many letters stands at a place, Hangul and Latin: rough, it only chooses between anchors."""


class Anchor(NamedTuple):
    """Strings one of which every match of a pattern holds, without spaces.

    Attributes:
        strings: None where nothing is known: then the pattern has to be tried everywhere.
        nearest: Characters between the beginning of a match and that of the string, at least.
        furthest: The same, at most.
        first: The letters with which a match can begin, a space among them; None for any.
        also: Other strings one of which every match holds; None where they are not worth a look.
        within: Letters after the beginning among which one of those stands, spaces left out.
    """

    strings: Strings | None
    nearest: int = 0
    furthest: int = 0
    first: Strings | None = None
    also: Strings | None = None
    within: int = 0


class _Part(NamedTuple):
    """What is known of a part of a pattern.

    Attributes:
        exact: All that it can match, where that is little.
        anchor: What it holds otherwise.
        least: Characters that it spans, at least.
        most: The same, at most.
        first: The letters with which it can begin; None for any.
        blanks: Spaces that can stand before its first letter.
        others: What it holds beside `anchor`.
    """

    exact: Strings | None
    anchor: Anchor | None
    least: int
    most: int
    first: Strings | None
    blanks: int = 0
    others: Anchor | None = None

    def anchored(self) -> Anchor | None:
        """Return the most telling strings that it holds."""
        return self.anchor or _anchor(self.exact, 0, self.blanks)


_ANYTHING = Anchor(None)
_NOTHING = _Part(_EMPTY, None, 0, 0, frozenset())
_ANY_LETTER = _Part(None, None, 1, 1, None)
_SPACE = _Part(_EMPTY, None, 1, 1, frozenset(" "), 1)


def anchor_of(pattern: str) -> Anchor:
    """Return the most telling strings that a pattern needs."""
    part = _Reader(pattern).alternatives()
    anchor = part.anchored() or _ANYTHING
    anchor = anchor._replace(first=part.first if part.least else None)
    if part.others is None or not all(map(str.isascii, part.others.strings or ())):
        return anchor
    return anchor._replace(also=part.others.strings, within=part.others.furthest + _LONGEST)


class _Run:
    """A sequence of parts that is being read."""

    def __init__(self) -> None:
        self._exact: Strings = _EMPTY
        self._near = self._far = self._blanks = 0
        self._least = self._most = 0
        self._whole = True
        self._first: Strings | None = frozenset()
        self._offers: dict[int, Anchor] = {}
        self._stretch = 0

    def add(self, part: _Part) -> None:
        """Go on with a part."""
        if part.exact is None or len(self._exact) * len(part.exact) > _MANY:
            self._begin_anew(part)
        else:
            if len(part.exact) > 1:
                self._offer_what_was_read()
            if "" in self._exact:
                self._blanks += part.blanks
            self._exact = frozenset([head + tail for head in self._exact for tail in part.exact])
        if self._least == 0 and self._first is not None:
            self._first = None if part.first is None else self._first | part.first
        self._least += part.least
        self._most = min(self._most + part.most, _ENDLESS)

    def part(self) -> _Part:
        """Return what the sequence comes to."""
        self._offer_what_was_read()
        exact = self._exact if self._whole else None
        best = min(self._offers.values(), key=_cost, default=None)
        others = (one for one in self._offers.values() if one is not best and len(one.strings or ()) <= _FEW)
        rarest = min(others, key=_frequency, default=None)
        return _Part(exact, best, self._least, self._most, self._first, self._blanks, rarest)

    def _begin_anew(self, part: _Part) -> None:
        self._whole = False
        self._offer_what_was_read()
        self._stretch += 1
        if part.anchor:
            near, far = self._least + part.anchor.nearest, self._most + part.anchor.furthest
            self._offer(Anchor(part.anchor.strings, near, far))
            self._stretch += 1
        self._exact = part.exact or _EMPTY
        self._near, self._far, self._blanks = self._least, self._most, part.blanks if part.exact else 0
        if part.exact is None:
            self._near += part.least
            self._far = min(self._far + part.most, _ENDLESS)

    def _offer_what_was_read(self) -> None:
        self._offer(_anchor(self._exact, self._near, self._far + self._blanks))

    def _offer(self, anchor: Anchor | None) -> None:
        if anchor and anchor.furthest < _ENDLESS:
            known = self._offers.get(self._stretch)
            if known is None or _cost(anchor) < _cost(known):
                self._offers[self._stretch] = anchor


class _Reader:
    """Reads one pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> _Part:
        """Read to the end or to the bracket that closes the group, which is consumed."""
        run, branches = _Run(), []
        while self._at < len(self._pattern):
            token = _TOKEN.match(self._pattern, self._at)
            if token is None:
                raise ValueError(f"not of our pattern language: {self._pattern[self._at :]}")
            self._at = token.end()
            if token.lastgroup == "close":
                break
            if token.lastgroup == "bar":
                branches.append(run.part())
                run = _Run()
            else:
                run.add(self._quantified(self._part(token)))
        branches.append(run.part())
        return branches[0] if len(branches) == 1 else _either(branches)

    def _part(self, token: re.Match[str]) -> _Part:
        text = token[0]
        match token.lastgroup:
            case "open":
                inside = self.alternatives()
                return _NOTHING if text not in ("(", "(?:") else inside
            case "words":
                return _words(token["words"])
            case "letters":
                letters = text.replace(" ?", "")
                return _Part(frozenset((letters,)), None, len(letters), len(text) - text.count("?"), frozenset(text[0]))
            case _:
                return _class(text) if text[0] == "[" else _letter(text)

    def _quantified(self, part: _Part) -> _Part:
        found = _QUANTIFIER.match(self._pattern, self._at)
        if found is None:
            return part
        self._at = found.end()
        sign, low, comma, high = found.groups()
        least = int(low) if low else int(sign == "+")
        most = 1 if sign == "?" else _ENDLESS if sign or (comma and not high) else int(high or low)
        return _repeated(part, least, most)


def _repeated(part: _Part, least: int, most: int) -> _Part:
    exact = None
    if part.exact == _EMPTY:
        exact = _EMPTY
    elif part.exact is not None and least == 0 and most == 1:
        exact = part.exact | _EMPTY
    elif part.exact is not None and least == most == 1:
        exact = part.exact
    anchor = part.anchored() if least else None
    blanks = min(part.blanks * (most if part.exact == _EMPTY else 1), _ENDLESS)
    return _Part(exact, anchor, part.least * least, min(part.most * most, _ENDLESS), part.first, blanks)


def _either(branches: Iterable[_Part]) -> _Part:
    parts = list(branches)
    sets = [part.exact for part in parts if part.exact is not None]
    exact = frozenset().union(*sets) if len(sets) == len(parts) else None
    anchors = [part.anchored() for part in parts]
    held = [anchor for anchor in anchors if anchor and anchor.strings is not None]
    anchor = None
    if len(held) == len(parts):
        strings = frozenset().union(*(one.strings or () for one in held))
        anchor = Anchor(strings, min(one.nearest for one in held), max(one.furthest for one in held))
    if exact is not None and len(exact) > _MANY:
        exact = None
    firsts = [part.first for part in parts if part.first is not None]
    first = frozenset().union(*firsts) if len(firsts) == len(parts) else None
    least, most = min(part.least for part in parts), max(part.most for part in parts)
    return _Part(exact, anchor, least, most, first, max(part.blanks for part in parts))


@cache
def _words(text: str) -> _Part:
    """Read alternatives that are words and optional spaces: most groups are, and many occur in several patterns."""
    written = text.split("|")
    strings = [word.replace("?", "").replace(" ", "") for word in written]
    exact = frozenset(strings)
    first = frozenset([string[:1] for string in strings]) - _EMPTY
    blanks = max(word[: len(word) - len(word.lstrip(" ?"))].count(" ") for word in written)
    if blanks:
        first |= {" "}
    least, most = min(map(len, strings)), max(len(word) - word.count("?") for word in written)
    return _Part(exact if len(exact) <= _MANY else None, _anchor(exact, 0, blanks), least, most, first, blanks)


@cache
def _letter(text: str) -> _Part:
    if text == " ":
        return _SPACE
    if text in _NO_LETTER or text[1:] in _ESCAPED_BORDERS:
        return _NOTHING
    if text == "." or (text[0] == "\\" and text[1].isalnum()):
        return _ANY_LETTER
    return _Part(frozenset((text[-1],)), None, 1, 1, frozenset(text[-1]))


@cache
def _class(text: str) -> _Part:
    letters = text[1:-1]
    if letters[0] == "^" or set("-\\") & set(letters):
        return _ANY_LETTER
    exact = frozenset(letters.replace(" ", "")) | (_EMPTY if " " in letters else frozenset())
    return _Part(exact, None, 1, 1, frozenset(letters), int(" " in letters))


def _anchor(strings: Strings | None, nearest: int = 0, furthest: int = 0) -> Anchor | None:
    if strings is None or "" in strings:
        return None
    return Anchor(frozenset([string[:_LONGEST] for string in strings]), nearest, furthest)


def _frequency(anchor: Anchor) -> float:
    # fsum: sets come in any order, and the choice between anchors must not depend on it.
    return fsum([_FREQUENT[string.isascii()][len(string)] for string in anchor.strings or ()])


def _cost(anchor: Anchor) -> float:
    return _frequency(anchor) * (8 + anchor.furthest - anchor.nearest)
