"""The age that a user states in the talk, against which what they chose at the start does not stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.safety.normalise import normalise
from shared.safety.ruleset import RuleSet


class StatedAge(StrEnum):
    """What somebody says of their own age; declared from the youngest."""

    UNDER_14 = "under_14"
    MINOR = "minor"
    """From 14 to 18, or not told exactly: a year of school that both may be in."""
    ADULT = "adult"


_OF_CHILDREN = frozenset({StatedAge.UNDER_14, StatedAge.MINOR})


@dataclass(frozen=True, slots=True)
class AgeRules:
    """The compiled rules.

    Attributes:
        means: What each says, by its id.
        of_another: That a message is about somebody of an age: a parent's, a teacher's.
        of_self: That an age in it is the writer's all the same.
    """

    rules: RuleSet
    means: Mapping[str, StatedAge]
    of_another: RuleSet
    of_self: RuleSet


def stated_age(text: str, rules: AgeRules) -> StatedAge | None:
    """Return the youngest age that `text` states of its writer; None when it states none."""
    readings = normalise(text)
    said = {rules.means[hit] for reading in readings for hit in rules.rules.hits(reading)}
    stated = next((age for age in StatedAge if age in said), None)
    if stated in _OF_CHILDREN and _is_of_another(readings, rules):
        return None
    return stated


def _is_of_another(readings: Sequence[str], rules: AgeRules) -> bool:
    told = any(rules.of_another.hits(reading) for reading in readings)
    return told and not any(rules.of_self.hits(reading) for reading in readings)


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
