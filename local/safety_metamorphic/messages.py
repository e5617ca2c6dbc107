"""Statements and neutral clauses of the metamorphic test, from files."""

import json
import re
from enum import StrEnum
from pathlib import Path

from pydantic import Field, ValidationError

from shared.content.loader import load_yaml
from shared.domain.errors import ConfigError
from shared.locale import Locale
from shared.model import Model
from shared.safety.levels import CrisisOutcome

_HANGUL = re.compile("[ㄱ-ㅣ가-힣]")


class Clause(Model):
    """A neutral clause.

    Attributes:
        topic: Its topic: a film, food, friends.
        text: The text to put before or after a statement, with blanks and marks.
    """

    topic: str
    text: str


class Clauses(Model):
    """The neutral clauses of one language."""

    before: tuple[Clause, ...] = Field(min_length=1)
    behind: tuple[Clause, ...] = Field(min_length=1)


class Place(StrEnum):
    """Position of a clause."""

    BEFORE = "before"
    BEHIND = "behind"


class Statement(Model):
    """A statement to which clauses are added.

    Attributes:
        level: Its lowest expected level alone; None if its file does not say.
    """

    text: str
    locale: Locale
    level: CrisisOutcome | None = None


class _ClauseFile(Model):
    ko: Clauses
    en: Clauses


class _Levels(Model):
    crisis: tuple[str, ...]
    imminent: tuple[str, ...]


class _PlainFile(Model):
    ko: _Levels
    en: _Levels


class _Row(Model, extra="ignore"):
    text: str


def read_clauses(path: Path) -> dict[Locale, Clauses]:
    """Return the neutral clauses.

    Raises:
        ContentError: The file is invalid.
    """
    read = load_yaml(path, _ClauseFile)
    return {Locale.KO: read.ko, Locale.EN: read.en}


def read_plain(path: Path) -> list[Statement]:
    """Return the plain statements with their levels.

    Raises:
        ContentError: The file is invalid.
    """
    read = load_yaml(path, _PlainFile)
    return [
        Statement(text=text, locale=locale, level=level)
        for locale, levels in ((Locale.KO, read.ko), (Locale.EN, read.en))
        for level, texts in ((CrisisOutcome.CRISIS, levels.crisis), (CrisisOutcome.IMMINENT, levels.imminent))
        for text in texts
    ]


def read_probe(path: Path) -> list[Statement]:
    """Return the messages of a file of JSON lines with a field `text`; the script determines the language.

    Raises:
        ConfigError: A line is invalid; the message names it.
    """
    return [_statement(line, f"{path}:{number}") for number, line in _lines(path) if line.strip()]


def _lines(path: Path) -> list[tuple[int, str]]:
    return list(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))


def _statement(line: str, where: str) -> Statement:
    try:
        text = _Row.model_validate(json.loads(line)).text
    except (ValueError, ValidationError) as error:
        raise ConfigError(f"{where}: {error}") from None
    return Statement(text=text, locale=Locale.KO if _HANGUL.search(text) else Locale.EN)
