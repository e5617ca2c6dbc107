"""Whether a text that is still being written matches a pattern or may yet come to.

A pattern is followed as sets of places, one bit for each: no compiling, which costs the first reply more than reading
it, and no going back. It knows no order of preference; where a match ends is asked of the regular expression, once.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol


@lru_cache(maxsize=1024)
def compiled(written: str) -> re.Pattern[str]:
    """Return a regular expression, compiled once."""
    return re.compile(written)


class Text:
    """Letters to follow a pattern through; places count from its beginning, bit by bit.

    Attributes:
        letters: The places of every letter.
        end: The bit behind the last letter where what is missing may still come, or 0.
    """

    def __init__(self, folded: str, start: int, until: int) -> None:
        """Take the letters of a folded sentence from `start` up to `until`."""
        self.folded, self.start, self.until = folded, start, until
        self.end = 0
        self._last = 1 << max(until - start, 0)
        self.letters: dict[str, int] = {}
        for place, letter in enumerate(folded[start:until]):
            self.letters[letter] = self.letters.get(letter, 0) | 1 << place
        self._classes: dict[str, int] = {}

    def unfinished(self, whether: bool) -> "Text":
        """Set whether what is missing may still come."""
        self.end = self._last if whether else 0
        return self

    def within(self, written: str) -> int:
        """Return the places of the letters of a class."""
        found = self._classes.get(written)
        if found is None:
            belongs = compiled(written).fullmatch
            found = sum(places for letter, places in self.letters.items() if belongs(letter))
            self._classes[written] = found
        return found


class Node(Protocol):
    """A piece of a pattern."""

    def step(self, places: int, text: Text) -> int:
        """Return the places behind it, from those before it."""


Letter = tuple[str, bool]
"""A letter, and whether it may be missing, as blanks may."""


@dataclass(slots=True)
class Word:
    letters: tuple[Letter, ...]

    def step(self, places: int, text: Text) -> int:
        of, end = text.letters.get, text.end
        for letter, may_be_missing in self.letters:
            behind = (places & of(letter, 0)) << 1
            places = places | behind if may_be_missing else behind | places & end
            if not places:
                return 0
        return places


@dataclass(slots=True)
class Class:
    """Letters of a class, so many."""

    written: str
    least: int = 1
    most: int = 1

    def step(self, places: int, text: Text) -> int:
        within, end = text.within(self.written), text.end
        behind = 0 if self.least else places
        for times in range(1, self.most + 1):
            places = (places & within) << 1 | places & end
            if times >= self.least:
                places &= ~behind
                behind |= places
            if not places:
                break
        return behind


@dataclass(slots=True)
class Look:
    """Takes nothing; where the text is unfinished, a border may still come (`may`), what is looked for may not."""

    written: str
    may: bool

    def step(self, places: int, text: Text) -> int:
        stay, left, match = places & text.end if self.may else 0, places, compiled(self.written).match
        while left:
            bit = left & -left
            left ^= bit
            if match(text.folded, text.start + bit.bit_length() - 1, text.until):
                stay |= bit
        return stay


@dataclass(slots=True)
class Ahead:
    inner: Node

    def step(self, places: int, text: Text) -> int:
        stay, left = 0, places
        while left:
            bit = left & -left
            left ^= bit
            if self.inner.step(bit, text):
                stay |= bit
        return stay


@dataclass(slots=True)
class Row:
    nodes: tuple[Node, ...]

    def step(self, places: int, text: Text) -> int:
        for node in self.nodes:
            places = node.step(places, text)
            if not places:
                return 0
        return places


@dataclass(slots=True)
class Choice:
    """Branches, those that begin with a letter by it."""

    lettered: dict[str, list[Node]]
    others: tuple[Node, ...]

    def step(self, places: int, text: Text) -> int:
        behind = 0
        for letter, here in text.letters.items():
            if here & places:
                for branch in self.lettered.get(letter, ()):
                    behind |= branch.step(places, text)
        for branch in self.others:
            behind |= branch.step(places, text)
        if places & text.end and not behind & text.end:
            branches = (branch for found in self.lettered.values() for branch in found)
            behind |= next((text.end for branch in branches if branch.step(text.end, text)), 0)
        return behind


@dataclass(slots=True)
class Repeat:
    node: Node
    least: int
    most: int

    def step(self, places: int, text: Text) -> int:
        behind = 0 if self.least else places
        for times in range(1, self.most + 1):
            places = self.node.step(places, text)
            if times >= self.least:
                places &= ~behind
                behind |= places
            if not places:
                break
        return behind


def passes_end(node: Node) -> bool:
    """Return whether a text that ends before a piece may always go on with it."""
    match node:
        case Look():
            return node.may
        case Ahead(inner):
            return passes_end(inner)
        case Row(nodes):
            return all(map(passes_end, nodes))
        case Choice():
            branches = [*node.others, *(branch for found in node.lettered.values() for branch in found)]
            return any(map(passes_end, branches))
        case Repeat():
            return node.least == 0 or passes_end(node.node)
        case _:
            return True
