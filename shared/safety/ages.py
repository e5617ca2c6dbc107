"""The age that a user states in the talk, against which what they chose at the start does not stand."""

from collections.abc import Iterable
from enum import StrEnum

from shared.safety.matcher import Family, Match


class StatedAge(StrEnum):
    """What somebody says of their own age; declared from the youngest."""

    UNDER_14 = "under_14"
    MINOR = "minor"
    """From 14 to 18, or not told exactly: a year of school that both may be in."""
    ADULT = "adult"


_OF_CHILDREN = frozenset({StatedAge.UNDER_14, StatedAge.MINOR})


class AgeOwner(StrEnum):
    """Whose age a message tells."""

    OF_ANOTHER = "of_another"
    """Somebody else's of such an age: a parent or a teacher writes."""
    OF_SELF = "of_self"
    """The writer's, whoever else is spoken of."""


def stated_age(matches: Iterable[Match]) -> StatedAge | None:
    """Return the youngest age that a message states of its writer; None when it states none.

    Args:
        matches: Those of all its readings.
    """
    found = [match.rule for match in matches if match.by is None]
    said = frozenset(rule.outcome for rule in found if rule.family is Family.AGE)
    stated = next((age for age in StatedAge if age in said), None)
    owners = frozenset(rule.outcome for rule in found if rule.family is Family.AGE_OWNER)
    if stated in _OF_CHILDREN and AgeOwner.OF_ANOTHER in owners and AgeOwner.OF_SELF not in owners:
        return None
    return stated


def believed(before: StatedAge | None, said: StatedAge) -> StatedAge | None:
    """Return the age to go by after `said`.

    Who was found to be under 14 may correct it, as the age at the start is their own word too. They are treated as a
    minor all the same from then on; nobody grows up by a sentence.
    """
    if before is StatedAge.UNDER_14 and said is not StatedAge.UNDER_14:
        return StatedAge.MINOR
    if said is StatedAge.ADULT:
        return before
    return said if before is None or said is StatedAge.UNDER_14 else before
