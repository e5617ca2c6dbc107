"""What kind of help a finding calls for: resources are chosen by need, so that several findings add up."""

from collections.abc import Iterable
from enum import StrEnum

from shared.safety.levels import CrisisOutcome


class Need(StrEnum):
    """A kind of help, declared in no order."""

    LIFE = "life"
    """Somebody to talk to about suicide."""
    MIND = "mind"
    """Somebody to talk to about what weighs."""
    EMERGENCY = "emergency"
    """Ambulance and police: a life in danger now."""
    POLICE = "police"
    VIOLENCE = "violence"
    """Counselling and shelter for victims of violence."""
    YOUTH = "youth"
    """The line for minors."""
    SCHOOL = "school"
    """Reports of violence at school."""
    ELDER = "elder"
    """Reports of violence against the old."""


_WHO_COME = frozenset({Need.EMERGENCY, Need.POLICE})


def needs_of(outcome: CrisisOutcome) -> tuple[Need, ...]:
    """Return what `outcome` calls for by itself, the most urgent first: police against violence, else the ambulance."""
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
    """Return every need once, in the order in which they came up."""
    return tuple(dict.fromkeys(need for needs in several for need in needs))


def urgency(needs: Iterable[Need], *, minor: bool) -> dict[Need, int]:
    """Return the places of `needs` in the order in which their lines are shown, 0 first.

    Where a life is in danger now, who comes at once stands first, as the needs name them; everywhere else the police
    stand behind those who talk. The line for minors shares the place of the lines about suicide, or goes before all
    others who talk.
    """
    asked = tuple(dict.fromkeys(needs))
    called = tuple(need for need in asked if need in _WHO_COME)
    talkers = tuple(need for need in asked if need not in _WHO_COME)
    if minor and talkers[:1] != (Need.LIFE,):
        talkers = union((Need.YOUTH,), talkers)
    order = called + talkers if Need.EMERGENCY in called else talkers + called
    places = {need: place for place, need in enumerate(order)}
    return {Need.YOUTH: places[Need.LIFE], **places} if minor and Need.YOUTH not in places else places
