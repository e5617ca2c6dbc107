"""Reference data with its sources: hotlines and the supervisor's rubric."""

import re
from datetime import date
from typing import Literal, TypeAlias

from pydantic import ConfigDict, Field, RootModel, field_validator

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


class ScoreCap(Model):
    """The total may not exceed `score` when `cause` holds."""

    score: int
    cause: str


class Rubric(Model):
    """The rubric for replies.

    Attributes:
        conversion_from_sources: How published scales map to ours.
        criteria: For each criterion, a description of each score band.
    """

    scale: str
    conversion_from_sources: dict[str, str]
    criteria: dict[str, dict[Band, str]] = Field(min_length=CRITERIA, max_length=CRITERIA)
    hard_fail_caps: dict[str, str]

    @field_validator("criteria")
    @classmethod
    def _anchors_every_band(cls, criteria: dict[str, dict[Band, str]]) -> dict[str, dict[Band, str]]:
        for name, anchors in criteria.items():
            if len(anchors) != BANDS:
                raise ValueError(f"{name} has {len(anchors)} of {BANDS} bands")
        return criteria

    @field_validator("hard_fail_caps")
    @classmethod
    def _caps_are_legible(cls, caps: dict[str, str]) -> dict[str, str]:
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
