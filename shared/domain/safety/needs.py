"""What kind of help a finding calls for: resources are chosen by need, so that several findings add up."""

from collections.abc import Iterable
from enum import StrEnum

from shared.domain.safety.levels import CrisisOutcome


class Need(StrEnum):
    """A kind of help, declared in no order; the order in which lines are shown is the content's."""

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


def needs_of(outcome: CrisisOutcome) -> tuple[Need, ...]:
    """Return what `outcome` calls for by itself."""
    match outcome:
        case CrisisOutcome.CONCERN | CrisisOutcome.THIRD_PARTY | CrisisOutcome.CRISIS:
            return (Need.LIFE,)
        case CrisisOutcome.HARM_TO_OTHERS | CrisisOutcome.IMMINENT:
            return Need.LIFE, Need.EMERGENCY
        case CrisisOutcome.ABUSE:
            return (Need.POLICE,)
        case CrisisOutcome.ABUSE_NOW:
            return (Need.EMERGENCY,)
        case CrisisOutcome.NONE | CrisisOutcome.ABUSE_TOLD:
            return ()


def union(*several: Iterable[Need]) -> tuple[Need, ...]:
    """Return every need once, in the order in which they came up."""
    return tuple(dict.fromkeys(need for needs in several for need in needs))
