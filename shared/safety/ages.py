"""The age that a user states in the conversation; it overrides the age band chosen at the start."""

from collections.abc import Iterable
from enum import StrEnum

from shared.safety.matcher import Family, Match


class StatedAge(StrEnum):
    """An age that the user states, youngest first."""

    UNDER_14 = "under_14"
    MINOR = "minor"
    """From 14 to 18, or a school year that both groups may be in."""
    ADULT = "adult"


_OF_CHILDREN = frozenset({StatedAge.UNDER_14, StatedAge.MINOR})


class AgeOwner(StrEnum):
    """Whose age a message states."""

    OF_ANOTHER = "of_another"
    """Another person's: a parent or a teacher writes."""
    OF_SELF = "of_self"
    """The writer's, even if other people are mentioned."""


def stated_age(matches: Iterable[Match]) -> StatedAge | None:
    """Return the youngest age that a message states of its writer, or None.

    Args:
        matches: Matches in all its readings.
    """
    found = [match.rule for match in matches if match.by is None]
    said = frozenset(rule.outcome for rule in found if rule.family is Family.AGE)
    stated = next((age for age in StatedAge if age in said), None)
    owners = frozenset(rule.outcome for rule in found if rule.family is Family.AGE_OWNER)
    if stated in _OF_CHILDREN and AgeOwner.OF_ANOTHER in owners and AgeOwner.OF_SELF not in owners:
        return None
    return stated


def believed(before: StatedAge | None, said: StatedAge) -> StatedAge | None:
    """Return the age to use after `said`.

    A user under 14 may correct it, as the age band is their own statement too; they stay a minor from then on.
    """
    if before is StatedAge.UNDER_14 and said is not StatedAge.UNDER_14:
        return StatedAge.MINOR
    if said is StatedAge.ADULT:
        return before
    return said if before is None or said is StatedAge.UNDER_14 else before
