"""Labelled messages: JSON lines."""

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from pydantic import ValidationError

from shared.domain.errors import ConfigError
from shared.model import Model
from shared.safety.levels import CrisisOutcome

_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_LONE = re.compile(r"[\ud800-\udfff]")
_LATIN = re.compile(r"[A-Za-z]")


class Label(StrEnum):
    """A human reader's label of a message."""

    CRISIS = "crisis"
    """The writer's own crisis: must be found."""
    AMBIGUOUS = "ambiguous"
    """Should be asked about."""
    NON_CRISIS = "non_crisis"
    """Should be left alone."""
    VIOLENCE = "violence"
    """The writer is or was hurt by another person: should be found as that, past or present."""
    HARM_TO_OTHERS = "harm_to_others"
    """The writer may hurt another person: must be found as that."""
    THIRD_PARTY = "third_party"
    """Another person's life is in danger: the writer must be supported as a helper."""

    def heard_in(self, outcome: CrisisOutcome) -> bool:
        """Return whether `outcome` finds a message of this label correctly."""
        match self:
            case Label.CRISIS:
                return outcome.severity >= CrisisOutcome.CRISIS.severity
            case Label.AMBIGUOUS:
                return outcome.severity >= CrisisOutcome.CONCERN.severity
            case Label.NON_CRISIS:
                return outcome.severity < CrisisOutcome.CONCERN.severity
            case Label.VIOLENCE:
                return outcome is not CrisisOutcome.NONE
            case Label.HARM_TO_OTHERS:
                return outcome.severity >= CrisisOutcome.HARM_TO_OTHERS.severity
            case Label.THIRD_PARTY:
                return outcome in _OF_ANOTHER
            case _:
                assert_never(self)


_OF_ANOTHER = frozenset({CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW})


class Category(StrEnum):
    """Form or subject of a message; these categories are counted with their intervals, others are free."""

    EXPLICIT = "explicit"
    """A crisis stated explicitly, which the rules must find."""
    OBLIQUE = "oblique"
    """A crisis that is hinted at: for the sum of weak signs, the model's second opinion and the direct question."""
    AMBIGUOUS = "ambiguous"
    HARD_NEGATIVE = "hard_negative"
    """Words of danger without danger: idioms, films, jokes, the past of others."""
    VIOLENCE = "violence"
    HARM_TO_OTHERS = "harm_to_others"
    THIRD_PARTY = "third_party"


_PLAIN = frozenset({Label.CRISIS, Label.AMBIGUOUS, Label.NON_CRISIS})
"""Labels that are older than categories; their rows need none."""


class Row(Model):
    """One labelled message.

    Attributes:
        category: One of `Category`, or the labeller's own; `-` for none.
        lang: As given, or guessed from the script.
    """

    text: str
    label: Label
    category: str = "-"
    lang: str = ""

    @property
    def known_category(self) -> Category | None:
        """The category, if it is one of `Category`; by default the label, if that is one."""
        named = self.label.value if self.category == "-" and self.label not in _PLAIN else self.category
        return Category(named) if named in {*Category} else None

    @property
    def language(self) -> str:
        """The language for counting."""
        if self.lang:
            return self.lang
        if _HANGUL.search(self.text):
            return "ko"
        return "en" if _LATIN.search(self.text) else "other"


def read_rows(path: Path) -> list[Row]:
    """Read a file of labelled messages; blank lines and unknown fields are ignored.

    Raises:
        ConfigError: The file is missing, empty or not UTF-8, or a line is invalid; the message names it.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8 text") from None
    rows = [_row(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise ConfigError(f"{path}: no rows in it")
    return rows


def _row(line: str, where: str) -> Row:
    try:
        return _Written.model_validate(_whole(json.loads(line))).row()
    except (ValueError, RecursionError) as error:
        if not isinstance(error, ValidationError):
            raise ConfigError(f"{where}: Invalid JSON: {error}") from None
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{where}: {f'{field}: ' if field else ''}{first['msg']}") from None


def _whole(given: object) -> object:
    """Replace lone surrogates in the texts of an object, such as cut emoji."""
    if not isinstance(given, dict):
        return given
    return {name: _LONE.sub("\ufffd", value) if isinstance(value, str) else value for name, value in given.items()}


class _Written(Model, extra="ignore", coerce_numbers_to_str=True):
    """A line of a file."""

    text: str
    label: Label
    category: str | None = None
    lang: str | None = None

    def row(self) -> Row:
        return Row(text=self.text, label=self.label, category=self.category or "-", lang=self.lang or "")
