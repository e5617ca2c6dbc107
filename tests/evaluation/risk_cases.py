"""The written messages for the reading of risk, read and checked."""

from enum import StrEnum
from functools import cache

from pydantic import Field

from shared.content.loader import load_yaml
from shared.locale import Locale
from shared.model import Model
from tests.evaluation.cases import HOME, Exchange


class Kind(StrEnum):
    """What a message says of danger to its writer's life, and how."""

    EXPLICIT = "explicit"
    """In so many words: to be read as crisis."""
    OBLIQUE = "oblique"
    """Hinted at: to be read as crisis, or at least as a reason to ask."""
    AMBIGUOUS = "ambiguous"
    """May mean it: to be asked about."""
    HARD_NEGATIVE = "hard_negative"
    """Words of danger that mean none."""
    THIRD_PARTY = "third_party"
    """Somebody else is in danger: no crisis of the writer."""
    VIOLENCE = "violence"
    """The writer is hurt by somebody: no wish to die."""


HARMLESS = (Kind.HARD_NEGATIVE, Kind.THIRD_PARTY, Kind.VIOLENCE)
"""What should not come out at crisis: it would be a false alarm."""


class RiskCase(Model):
    """One message.

    Attributes:
        before: What was said before, oldest first.
        asked: The counsellor's last words; empty where the message opens the talk.
    """

    id: str = Field(pattern=r"^(ko|en)_[a-z_]+_\d+$")
    locale: Locale
    kind: Kind
    text: str = Field(min_length=1)
    before: tuple[Exchange, ...] = ()
    asked: str = ""


class RiskCaseFile(Model):
    """All messages."""

    cases: tuple[RiskCase, ...] = Field(min_length=60)


@cache
def risk_cases() -> tuple[RiskCase, ...]:
    """Return the messages as they are written.

    Raises:
        ConfigError: The file is wrong; the message says where.
    """
    return load_yaml(HOME / "risk.yaml", RiskCaseFile).cases
