"""The texts of a transcript, from words.yaml."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from shared.content.catalogue import content
from shared.content.loader import load_yaml
from shared.locale import Locale


class _Data(BaseModel):
    """A part of the file: unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NoteWords(_Data):
    """A kind of note: its mark, and its sentence with fields."""

    mark: str
    text: str


class EndingWords(_Data):
    """Headings of a session's results; `suggested`, `spent` and `booked` are sentences with fields."""

    summary: str
    goals: str
    next: str
    level: str
    suggested: str
    cost: str
    spent: str
    bookings: str
    booked: str
    nothing: str


class HappenedWords(_Data):
    """Parts of the summary line.

    Attributes:
        modules_worth_telling: Modules that show something; the others occur in any session.
    """

    parts: str
    replan: str
    answered: str
    risk: str
    services: str
    booking: str
    went_back: str
    modules: str
    modules_worth_telling: tuple[str, ...]
    nothing: str


class FigureWords(_Data):
    """The figures of a session: sentences with fields by heading, and the columns of the table over all sessions."""

    heading: str
    counted: str
    no_task: str
    lines: dict[str, str]
    columns: tuple[str, ...]
    together: str
    proposals: str


class PageWords(_Data):
    """Texts of the pages apart from transcripts."""

    title: str
    note: str
    back: str
    visit: str
    why: str
    turns: str
    ended: str
    failed: str
    summary: str
    read: str
    as_text: str


class Words(_Data):
    """All texts.

    Attributes:
        causes: Lines below a note: sentences with fields.
        names: Display names by table and by the product's name.
    """

    notes: dict[str, NoteWords]
    causes: dict[str, str]
    names: dict[str, dict[str, str]]
    happened: HappenedWords
    ending: EndingWords
    figures: FigureWords
    roles: dict[str, str]
    pages: PageWords

    def name(self, table: str, value: str) -> str:
        """Return a value's display name, or the value itself."""
        return self.names[table].get(value, value)

    def list_of(self, values: tuple[str, ...]) -> str:
        """Join values to a list, or return the text for nothing."""
        return ", ".join(values) or self.ending.nothing


@cache
def words() -> Words:
    """Return the texts.

    Raises:
        ContentError: The file is invalid.
    """
    return load_yaml(Path(__file__).with_name("words.yaml"), Words)


@cache
def module_names() -> Mapping[str, str]:
    """Return the Korean name of every module, by its id."""
    return {str(module.id): module.name for module in content().modules(Locale.KO)}
