"""The plain words with which hits of the output guard begin, as a tree that is followed letter by letter."""

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


Begins = tuple[Sequence[str], T, bool]
"""Starts, what begins with them, and whether that may be within a word."""


class Step(Generic[T]):
    """A node, which grows when it is reached: of thousands of starts a reply meets a few.

    Attributes:
        found: What begins with the letters up to here, at the beginning of a word.
        joined: What may begin with them within a word too.
    """

    def __init__(self, seeds: Iterable[tuple[str, T, bool]], read: int = 1) -> None:
        """Take the starts that lead here, of which so many letters have been read."""
        self.found: list[T] = []
        self.joined: list[T] = []
        self._seeds: dict[str, list[tuple[str, T, bool]]] = {}
        self._next: dict[str, Step[T]] = {}
        self._read = read
        for seed in seeds:
            self._plant(seed)

    def behind(self, letter: str) -> "Step[T] | None":
        """Return the node behind a letter, or None."""
        step = self._next.get(letter)
        if step is None and letter in self._seeds:
            step = self._next[letter] = Step(self._seeds[letter], self._read + 1)
        return step

    def _plant(self, seed: tuple[str, T, bool]) -> None:
        start, value, joined = seed
        if len(start) == self._read:
            (self.joined if joined else self.found).append(value)
            return
        letter = start[self._read]
        self._seeds.setdefault(letter, []).append(seed)
        if letter == " " and _may_be_missing(start, self._read):
            without = start[: self._read] + start[self._read + 1 :]
            self._seeds.setdefault(without[self._read], []).append((without, value, joined))


class Starts(Generic[T]):
    """The root."""

    def __init__(self, begins: Iterable[Begins[T]]) -> None:
        """Take starts; a blank next to a Korean letter in one may be missing."""
        self._begins: dict[str, list[Begins[T]]] = {}
        self._next: dict[str, Step[T]] = {}
        for one in begins:
            for letter in {start[:1] for start in one[0]}:
                self._begins.setdefault(letter, []).append(one)

    def behind(self, letter: str) -> Step[T] | None:
        """Return the node behind a letter, or None."""
        step = self._next.get(letter)
        if step is None and letter in self._begins:
            begins = self._begins[letter]
            seeds = ((start, way, joined) for starts, way, joined in begins for start in starts if start[:1] == letter)
            step = self._next[letter] = Step(seeds)
        return step


def _may_be_missing(start: str, place: int) -> bool:
    return is_hangul(start[place - 1 : place]) or is_hangul(start[place + 1 : place + 2])


def is_hangul(letter: str) -> bool:
    """Return whether a letter is a Hangul syllable."""
    return "가" <= letter <= "힣"


def goes_on(before: str, here: str) -> bool:
    """Return whether a letter goes on the word of the letter before it; particles join Korean to anything else."""
    if is_hangul(here):
        return is_hangul(before)
    return here.isascii() and here.isalnum() and before.isascii() and before.isalnum()
