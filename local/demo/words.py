"""The words of a transcript, from words.yaml."""

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from shared.content.loader import load_yaml


class _Data(BaseModel):
    """A part of the file: unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NoteWords(_Data):
    """A kind of note: what stands before it, and the sentence with its fields."""

    mark: str
    text: str


class EndingWords(_Data):
    """Headings of what a session leaves behind; `suggested` and `spent` are sentences with fields."""

    summary: str
    goals: str
    next: str
    level: str
    suggested: str
    cost: str
    spent: str
    nothing: str


class HappenedWords(_Data):
    """The pieces of the line that sums a session up.

    Attributes:
        modules_worth_telling: Those that answer something; the others belong to any session.
    """

    parts: str
    replan: str
    answered: str
    risk: str
    went_back: str
    modules: str
    modules_worth_telling: tuple[str, ...]
    nothing: str


class PageWords(_Data):
    """What stands on the pages besides the transcripts."""

    title: str
    note: str
    back: str
    visit: str
    why: str
    turns: str
    ended: str
    failed: str


class Words(_Data):
    """All words.

    Attributes:
        causes: Lines below a note, sentences with fields.
        names: For people, by table and by what the product calls it.
    """

    notes: dict[str, NoteWords]
    causes: dict[str, str]
    names: dict[str, dict[str, str]]
    happened: HappenedWords
    ending: EndingWords
    roles: dict[str, str]
    pages: PageWords

    def name(self, table: str, value: str) -> str:
        """Return a value's name for people; the value itself where it has none."""
        return self.names[table].get(value, value)

    def list_of(self, values: tuple[str, ...]) -> str:
        """Return an enumeration, or the word for nothing."""
        return ", ".join(values) or self.ending.nothing


@cache
def words() -> Words:
    """Return the words.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(Path(__file__).with_name("words.yaml"), Words)
