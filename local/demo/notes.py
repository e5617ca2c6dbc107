"""Notes of a transcript: what happened, in the words of words.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass

from local.demo.words import words


@dataclass(frozen=True)
class Note:
    """Something that happened.

    Attributes:
        kind: One of words.yaml's `notes`.
        values: For the fields of its sentence.
    """

    kind: str
    values: Mapping[str, str]

    @property
    def mark(self) -> str:
        """What stands before it."""
        return words().notes[self.kind].mark

    @property
    def text(self) -> str:
        """The sentence."""
        return words().notes[self.kind].text.format_map(self.values)
