"""The written first Parts, and the written messages for the reading of risk, read and checked."""

from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import Field

from shared.content.loader import load_yaml
from shared.locale import Locale
from shared.model import Model

HOME = Path(__file__).parent


class Exchange(Model):
    """One question of the counsellor, and what the client said to it."""

    counselor: str = Field(min_length=1)
    user: str = Field(min_length=1)


class Case(Model):
    id: str = Field(pattern=r"^[a-z_]+$")
    level: int = Field(ge=1, le=5)
    type: str | None = None  # the client's persona; None leaves it to the planner
    dialogue: tuple[Exchange, ...] = Field(min_length=3)
    expected: tuple[str, ...] = Field(min_length=1)  # keywords that fit the dialogue
    forbidden: tuple[str, ...] = ()  # subjects that the dialogue does not mention

    @property
    def words(self) -> str:
        """What the client said."""
        return "\n".join(exchange.user for exchange in self.dialogue)


class CaseFile(Model):
    cases: tuple[Case, ...] = Field(min_length=8)


class Kind(StrEnum):
    """How a message speaks of danger to its writer's life."""

    EXPLICIT = "explicit"  # stated openly: to be read as crisis
    OBLIQUE = "oblique"  # hinted at: to be read as crisis or at least as concern
    AMBIGUOUS = "ambiguous"  # unclear: to be read as concern
    HARD_NEGATIVE = "hard_negative"  # words of danger without danger
    THIRD_PARTY = "third_party"  # another person is in danger: no crisis of the writer
    VIOLENCE = "violence"  # another person hurts the writer: no wish to die


HARMLESS = (Kind.HARD_NEGATIVE, Kind.THIRD_PARTY, Kind.VIOLENCE)
"""Kinds for which a reading of crisis is a false alarm."""


class RiskCase(Model):
    id: str = Field(pattern=r"^(ko|en)_[a-z_]+_\d+$")
    locale: Locale
    kind: Kind
    text: str = Field(min_length=1)
    before: tuple[Exchange, ...] = ()  # what was said before, oldest first
    asked: str = ""  # the counsellor's last words; empty where the message opens the talk


class RiskCaseFile(Model):
    cases: tuple[RiskCase, ...] = Field(min_length=60)


@cache
def cases() -> tuple[Case, ...]:
    """Return the first Parts as they are written; a ConfigError says where the file is wrong."""
    return load_yaml(HOME / "cases.yaml", CaseFile).cases


@cache
def risk_cases() -> tuple[RiskCase, ...]:
    """Return the messages as they are written; a ConfigError says where the file is wrong."""
    return load_yaml(HOME / "risk.yaml", RiskCaseFile).cases
