"""Reference data with its sources: hotlines and the supervisor's rubric."""

import re
from datetime import date
from enum import StrEnum
from typing import Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, RootModel, field_validator, model_validator

from shared.locale import Localized
from shared.model import Model

Band: TypeAlias = Literal["1-2", "3-4", "5-6", "7-8", "9-10"]
BANDS = 5
CRITERIA = 8
_CAP = re.compile(r"score<=(\d+)")


class Hotline(Model):
    """A help line.

    Attributes:
        src: Where the number was found.
        checked: When it was last checked.
    """

    region: str
    name: str
    number: str
    hours: str
    since: date | None = None
    src: tuple[str, ...] = Field(min_length=1)
    note: str = ""
    checked: date


class HotlineFile(RootModel[tuple[Hotline, ...]]):
    """All help lines, Korea's first."""

    model_config = ConfigDict(frozen=True)


class Counting(StrEnum):
    """How far code counts a criterion instead of asking the model."""

    NOT = "not"
    IN_PART = "in_part"
    """The model scores it, and a count caps the score."""
    WHOLE = "whole"


class RubricCriterion(Model):
    """One criterion.

    Attributes:
        sources: The published scales that its bands follow; for people.
        counted: How far code counts it.
        bands: A description of each score band.
        remark: The improvement that a low count asks for.
    """

    sources: str
    counted: Counting = Counting.NOT
    bands: dict[Band, Localized]
    remark: Localized | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if len(self.bands) != BANDS:
            raise ValueError(f"{len(self.bands)} of {BANDS} bands")
        if (self.remark is None) != (self.counted is Counting.NOT):
            raise ValueError("a remark belongs to a counted criterion")
        return self


class CapCause(Localized):
    """What caps a total, with its source."""

    sources: str


class ScoreCap(Model):
    """The total may not exceed `score` when `cause` holds."""

    score: int
    cause: Localized


class Rubric(Model):
    """The rubric for replies.

    Attributes:
        conversion_from_sources: How published scales map to ours.
    """

    scale: str
    conversion_from_sources: dict[str, str]
    criteria: dict[str, RubricCriterion] = Field(min_length=CRITERIA, max_length=CRITERIA)
    hard_fail_caps: dict[str, CapCause]

    @field_validator("hard_fail_caps")
    @classmethod
    def _caps_are_legible(cls, caps: dict[str, CapCause]) -> dict[str, CapCause]:
        for cap in caps:
            if not _CAP.fullmatch(cap):
                raise ValueError(f"{cap!r} is not of the form score<=N")
        return caps

    @property
    def caps(self) -> tuple[ScoreCap, ...]:
        """The hard caps, lowest first."""
        found = [
            ScoreCap(score=int(cap.removeprefix("score<=")), cause=why) for cap, why in self.hard_fail_caps.items()
        ]
        return tuple(sorted(found, key=lambda cap: cap.score))
