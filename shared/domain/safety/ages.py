"""The age that a user states in the talk, against which what they chose at the start does not stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from shared.domain.safety.normalise import normalise
from shared.domain.safety.ruleset import RuleSet


class StatedAge(StrEnum):
    """What somebody says of their own age; declared from the youngest."""

    UNDER_14 = "under_14"
    MINOR = "minor"
    """From 14 to 18, or not told exactly: a year of school that both may be in."""
    ADULT = "adult"


@dataclass(frozen=True, slots=True)
class AgeRules:
    """The compiled rules.

    Attributes:
        means: What each says, by its id.
    """

    rules: RuleSet
    means: Mapping[str, StatedAge]


def stated_age(text: str, rules: AgeRules) -> StatedAge | None:
    """Return the youngest age that `text` states of its writer; None when it states none."""
    said = {rules.means[hit] for reading in normalise(text) for hit in rules.rules.hits(reading)}
    return next((age for age in StatedAge if age in said), None)


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
