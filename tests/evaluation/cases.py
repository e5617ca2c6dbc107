"""The written first Parts, and the written messages for the reading of risk, read and checked."""

from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import Field

from cases.case import Exchange
from shared.content.loader import load_yaml
from shared.domain.conversation import Message, Role
from shared.locale import Locale
from shared.model import Model

HOME = Path(__file__).parent


class Case(Model):
    """One first Part."""

    id: str = Field(pattern=r"^[a-z_]+$")
    level: int = Field(ge=1, le=5)
    type: str | None = None  # the client's persona; None leaves it to the planner
    dialogue: tuple[Exchange, ...] = Field(min_length=3)
    expected: tuple[str, ...] = Field(min_length=1)  # keywords that fit what was told
    forbidden: tuple[str, ...] = ()  # subjects that nobody brought up

    @property
    def words(self) -> str:
        """What the client said."""
        return "\n".join(exchange.user for exchange in self.dialogue)


class CaseFile(Model):
    cases: tuple[Case, ...] = Field(min_length=8)


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


class WrittenMessage(Model):
    """A user's message with the talk before it.

    Attributes:
        before: What was said before, oldest first.
        asked: The counsellor's last words; empty if the message opens the talk.
    """

    id: str = Field(pattern=r"^(ko|en)_[a-z_]+_\d+$")
    text: str = Field(min_length=1)
    before: tuple[Exchange, ...] = ()
    asked: str = ""

    def talk(self, now: datetime) -> tuple[Message, ...]:
        """Return what was said before the message, as a session keeps it."""
        said = [pair for one in self.before for pair in ((Role.COUNSELOR, one.counselor), (Role.USER, one.user))]
        said += [(Role.COUNSELOR, self.asked)] if self.asked else []
        return tuple(
            Message(seq=(place + 1) // 2, role=role, text=text, created_at=now - timedelta(seconds=len(said) - place))
            for place, (role, text) in enumerate(said)
        )


class RiskCase(WrittenMessage):
    """One message."""

    locale: Locale
    kind: Kind


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
