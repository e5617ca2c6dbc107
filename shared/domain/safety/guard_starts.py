"""The plain words with which hits of the output guard begin, as a tree that is followed letter by letter."""

from collections.abc import Iterable
from dataclasses import dataclass, field
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
        for step in _ends(root, start):
            (step.joined if joined else step.found).append(value)
    return root


def _ends(root: Step[T], start: str) -> list[Step[T]]:
    """Return where a start ends in the tree, which grows by it; a blank next to a Korean word may be missing."""
    steps = [root]
    for place, letter in enumerate(start):
        if letter == " " and _may_be_missing(start, place):
            steps = [other for step in steps for other in _with_and_without_blank(step)]
        else:
            steps = [step.next.setdefault(letter, Step()) for step in steps]
    return steps


def _may_be_missing(start: str, place: int) -> bool:
    return is_hangul(start[place - 1 : place]) or is_hangul(start[place + 1 : place + 2])


def _with_and_without_blank(step: Step[T]) -> list[Step[T]]:
    """Return the nodes to go on from: one where what follows is the same with a blank before it and without."""
    blank = step.next.setdefault(" ", Step(next=step.next))
    return [step] if blank.next is step.next else [step, blank]


def is_hangul(letter: str) -> bool:
    """Return whether a letter is a Hangul syllable."""
    return "가" <= letter <= "힣"


def goes_on(before: str, here: str) -> bool:
    """Return whether a letter goes on the word of the letter before it; particles join Korean to anything else."""
    if is_hangul(here):
        return is_hangul(before)
    return here.isascii() and here.isalnum() and before.isascii() and before.isalnum()
