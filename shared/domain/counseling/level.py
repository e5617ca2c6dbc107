"""The counselling level as heard in Part 1: a pure rule over signs, each with its evidence."""

from collections.abc import Collection, Iterator
from enum import StrEnum

from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.user_state import Resistance
from shared.model import Model

LOWEST, HIGHEST = 1, 5
SEVERE_LEVEL = 2
"""Highest level in severe distress: feelings and the situation come before causes and change."""
SEVERE_READINGS = 2
"""Readings of a strong painful emotion from which the distress counts as severe; one may be a moment."""


class LevelSource(StrEnum):
    """Where a session's level comes from."""

    DEFAULT = "default"
    """Nothing is known yet: level 1; Part 1 may raise it."""
    GIVEN = "given"
    """The client or staff gave it at the opening."""
    CARRIED = "carried"
    """The closing of the user's last session suggested it."""
    HEARD = "heard"
    """Code derived it from Part 1."""


class LevelSign(StrEnum):
    """A sign of how far the user would go."""

    EXPERIENCE = "experience"
    """They were in counselling before."""
    DEPTH = "depth"
    """They want to understand causes or patterns."""
    CHANGE = "change"
    """They want to change something."""
    BEGUN = "begun"
    """They have begun to change and want to keep it."""
    SEVERE = "severe"
    """Danger or lasting strong distress."""
    RELUCTANT = "reluctant"
    """They strongly resist the talk."""


RAISES = frozenset({LevelSign.EXPERIENCE, LevelSign.DEPTH, LevelSign.CHANGE, LevelSign.BEGUN})
"""Signs that raise the level by one each."""


class LevelGround(Model):
    """A sign and the user's words that show it; empty for signs that were read from the session's state."""

    sign: LevelSign
    quote: str = ""


def level_of(grounds: Collection[LevelGround]) -> int:
    """Return the level (1-5) for the signs: 1 without any or in strong resistance, at most 2 in severe distress."""
    signs = {ground.sign for ground in grounds}
    if LevelSign.RELUCTANT in signs:
        return LOWEST
    level = min(HIGHEST, LOWEST + len(signs & RAISES))
    return min(level, SEVERE_LEVEL) if LevelSign.SEVERE in signs else level


def grounds_of_state(readings: Collection[StateReading], *, endangered: bool) -> Iterator[LevelGround]:
    """Yield the signs in the readings of the user's state; `endangered`: a crisis was answered in this session."""
    if endangered or sum(reading.distressed for reading in readings) >= SEVERE_READINGS:
        yield LevelGround(sign=LevelSign.SEVERE)
    if any(reading.resistance is Resistance.STRONG for reading in readings):
        yield LevelGround(sign=LevelSign.RELUCTANT)


def next_level(present: int, suggested: int, *, worked: bool) -> int:
    """Return the level for the next session: at most one step from the present one.

    Args:
        present: The session's level.
        suggested: The model's suggestion.
        worked: A task of Part 2 was covered; without one, nothing shows that more depth would suit the user.
    """
    highest = min(HIGHEST, present + 1) if worked else present
    return max(LOWEST, present - 1, min(highest, suggested))
