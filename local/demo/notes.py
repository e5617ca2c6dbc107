"""Notes of a transcript: what happened and why, in the words of words.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass

from local.demo.words import words


@dataclass(frozen=True)
class Note:
    """Something that happened.

    Attributes:
        kind: One of words.yaml's `notes`.
        values: For the fields of its sentence.
        causes: Why, from what, and what followed; a line each.
    """

    kind: str
    values: Mapping[str, str]
    causes: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """What stands before it."""
        return words().notes[self.kind].mark

    @property
    def text(self) -> str:
        """The sentence."""
        return words().notes[self.kind].text.format_map(self.values)


def cause(kind: str, /, **values: str) -> str:
    """Return a line of words.yaml's `causes`; empty where any value is, for then there is nothing to tell."""
    return words().causes[kind].format_map(values) if all(values.values()) else ""


def told(*lines: str) -> tuple[str, ...]:
    """Return the lines that tell something."""
    return tuple(line for line in lines if line)
