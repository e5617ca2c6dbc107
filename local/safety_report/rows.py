"""The labelled messages that the report measures: JSON, one a line."""

import json
import re
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from shared.domain.errors import ConfigError
from shared.domain.model import Model

_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_LONE = re.compile(r"[\ud800-\udfff]")
_LATIN = re.compile(r"[A-Za-z]")


class Label(StrEnum):
    """What somebody who read the message said that it is."""

    CRISIS = "crisis"
    """The writer's own crisis: must be found."""
    AMBIGUOUS = "ambiguous"
    """Should be asked about."""
    NON_CRISIS = "non_crisis"
    """Should be left alone."""


class Row(Model):
    """One labelled message.

    Attributes:
        category: The labeller's own grouping; `-` when there is none.
        lang: As given, or guessed by the script.
    """

    text: str
    label: Label
    category: str = "-"
    lang: str = ""

    @property
    def language(self) -> str:
        """The language it is counted under."""
        if self.lang:
            return self.lang
        if _HANGUL.search(self.text):
            return "ko"
        return "en" if _LATIN.search(self.text) else "other"


def read_rows(path: Path) -> list[Row]:
    """Read one file of labelled messages; blank lines are skipped, fields of others ignored.

    Raises:
        ConfigError: The file is missing, empty, no UTF-8, or a line of it is wrong; the line is named.
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
    """Return an object whose texts have no half of a character: a picture that was cut is no reason to stop."""
    if not isinstance(given, dict):
        return given
    return {name: _LONE.sub("\ufffd", value) if isinstance(value, str) else value for name, value in given.items()}


class _Written(Model, extra="ignore", coerce_numbers_to_str=True):
    """A line as it stands in a file."""

    text: str
    label: Label
    category: str | None = None
    lang: str | None = None

    def row(self) -> Row:
        return Row(text=self.text, label=self.label, category=self.category or "-", lang=self.lang or "")
