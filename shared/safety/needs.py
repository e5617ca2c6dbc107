"""Kinds of help that findings need; the needs of several findings add up."""

from collections.abc import Iterable
from enum import StrEnum

from shared.safety.levels import CrisisOutcome


class Need(StrEnum):
    """A kind of help; the order has no meaning."""

    LIFE = "life"
    """Counselling about suicide."""
    MIND = "mind"
    """Counselling about distress."""
    EMERGENCY = "emergency"
    """Ambulance and police: a life is in danger now."""
    POLICE = "police"
    VIOLENCE = "violence"
    """Counselling and shelter for victims of violence."""
    YOUTH = "youth"
    """The line for minors."""
    SCHOOL = "school"
    """Reports of violence at school."""
    ELDER = "elder"
    """Reports of elder abuse."""
    SOLDIER = "soldier"
    """The line of the armed forces."""
    INJURY = "injury"
    """An ambulance for an injury of violence that is not going on now."""


_WHO_COME = frozenset({Need.EMERGENCY, Need.POLICE, Need.INJURY})


def needs_of(outcome: CrisisOutcome) -> tuple[Need, ...]:
    """Return the needs of `outcome`, most urgent first: police against violence, else the ambulance."""
    match outcome:
        case CrisisOutcome.CONCERN | CrisisOutcome.THIRD_PARTY | CrisisOutcome.CRISIS:
            return (Need.LIFE,)
        case CrisisOutcome.IMMINENT | CrisisOutcome.ATTEMPTED | CrisisOutcome.THIRD_PARTY_NOW:
            return Need.EMERGENCY, Need.LIFE
        case CrisisOutcome.HARM_TO_OTHERS:
            return Need.POLICE, Need.EMERGENCY, Need.LIFE
        case CrisisOutcome.ABUSE:
            return (Need.POLICE,)
        case CrisisOutcome.ABUSE_NOW:
            return Need.POLICE, Need.EMERGENCY
        case CrisisOutcome.NONE | CrisisOutcome.ABUSE_TOLD:
            return ()


def union(*several: Iterable[Need]) -> tuple[Need, ...]:
    """Return every need once, in order of appearance."""
    return tuple(dict.fromkeys(need for needs in several for need in needs))


def urgency(needs: Iterable[Need], *, minor: bool) -> dict[Need, int]:
    """Return the display order of the lines for `needs`, 0 first.

    In an emergency, ambulance and police come first, as the needs order them; else the police come after the
    counselling lines. The line for minors shares the place of the suicide lines, or precedes all other counselling
    lines.
    """
    asked = tuple(dict.fromkeys(needs))
    called = tuple(need for need in asked if need in _WHO_COME)
    talkers = tuple(need for need in asked if need not in _WHO_COME)
    if minor and talkers[:1] != (Need.LIFE,):
        talkers = union((Need.YOUTH,), talkers)
    order = called + talkers if Need.EMERGENCY in called else talkers + called
    places = {need: place for place, need in enumerate(order)}
    return {Need.YOUTH: places[Need.LIFE], **places} if minor and Need.YOUTH not in places else places
