"""The written first Parts, read and checked."""

from functools import cache
from pathlib import Path

from pydantic import Field

from shared.content.loader import load_yaml
from shared.model import Model

HOME = Path(__file__).parent


class Exchange(Model):
    """One question of the counsellor, and what the client said to it."""

    counselor: str = Field(min_length=1)
    user: str = Field(min_length=1)


class Case(Model):
    """One first Part.

    Attributes:
        type: The client's persona; None leaves it to the planner.
        expected: Keywords that fit what was told.
        forbidden: Subjects that nobody brought up.
    """

    id: str = Field(pattern=r"^[a-z_]+$")
    level: int = Field(ge=1, le=5)
    type: str | None = None
    dialogue: tuple[Exchange, ...] = Field(min_length=3)
    expected: tuple[str, ...] = Field(min_length=1)
    forbidden: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What the client said."""
        return "\n".join(exchange.user for exchange in self.dialogue)


class CaseFile(Model):
    """All cases."""

    cases: tuple[Case, ...] = Field(min_length=8)


@cache
def cases() -> tuple[Case, ...]:
    """Return the cases as they are written.

    Raises:
        ConfigError: The file is wrong; the message says where.
    """
    return load_yaml(HOME / "cases.yaml", CaseFile).cases
