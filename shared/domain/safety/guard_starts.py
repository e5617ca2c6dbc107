"""The plain words with which hits of the output guard begin, as a tree that is followed letter by letter."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(eq=False)
class Step(Generic[T]):
    """A node.

    Attributes:
        found: What begins with the letters up to here, at the beginning of a word.
        joined: What may begin with them within a word too.
        next: The nodes behind, by letter.
    """

    found: list[T] = field(default_factory=list)
    joined: list[T] = field(default_factory=list)
    next: dict[str, "Step[T]"] = field(default_factory=dict)


def planted(starts: Iterable[tuple[str, T, bool]]) -> Step[T]:
    """Return the tree of starts, each with what begins there and whether that may be within a word."""
    root: Step[T] = Step()
    for start, value, joined in starts:
        for spelling in _spellings(start):
            step = root
            for letter in spelling:
                step = step.next.setdefault(letter, Step())
            (step.joined if joined else step.found).append(value)
    return root


def is_hangul(letter: str) -> bool:
    """Return whether a letter is a Hangul syllable."""
    return "가" <= letter <= "힣"


def goes_on(before: str, here: str) -> bool:
    """Return whether a letter goes on the word of the letter before it; particles join Korean to anything else."""
    if is_hangul(here):
        return is_hangul(before)
    return here.isascii() and here.isalnum() and before.isascii() and before.isalnum()


def _spellings(start: str) -> Iterator[str]:
    """Yield a start with and without the blanks next to Korean words."""
    pieces = start.split(" ")
    between = [
        ("", " ") if is_hangul(left[-1:]) or is_hangul(right[:1]) else (" ",)
        for left, right in zip(pieces, pieces[1:], strict=False)
    ]
    for blanks in product(*between):
        yield "".join(piece + blank for piece, blank in zip(pieces, (*blanks, ""), strict=True))
