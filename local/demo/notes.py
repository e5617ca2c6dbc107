"""Notes of a transcript: what happened and why, in the texts of words.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass

from local.demo.words import words


@dataclass(frozen=True)
class Note:
    """Something that happened.

    Attributes:
        kind: A key of words.yaml's `notes`.
        values: Fields of its sentence.
        causes: Causes and consequences, one line each.
    """

    kind: str
    values: Mapping[str, str]
    causes: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """The mark before it."""
        return words().notes[self.kind].mark

    @property
    def text(self) -> str:
        """The sentence."""
        return words().notes[self.kind].text.format_map(self.values)


def cause(kind: str, /, **values: str) -> str:
    """Return a line of words.yaml's `causes`; "" if a value is empty."""
    return words().causes[kind].format_map(values) if all(values.values()) else ""


def told(*lines: str) -> tuple[str, ...]:
    """Return the lines that are not empty."""
    return tuple(line for line in lines if line)
