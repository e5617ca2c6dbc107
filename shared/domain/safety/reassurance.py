"""What counts as a word of safety, and against what: a husband beside one is a comfort, or the danger itself."""

from collections.abc import Collection
from enum import StrEnum

from shared.domain.safety.levels import CrisisOutcome


class Reassurance(StrEnum):
    """A kind of word with which somebody says that they are safe."""

    OUT_OF_DANGER = "out_of_danger"
    """Safe in so many words, away from the place, or with the police."""
    NO_INTENT = "no_intent"
    """No wish to die or to hurt themselves."""
    NO_HARM = "no_harm"
    """No wish to hurt anybody else."""
    SUPPORT = "support"
    """Somebody is there, help was reached, it is calmer: good, and also what people say who have decided to die."""


_AGAINST_OWN_DANGER = frozenset({Reassurance.OUT_OF_DANGER, Reassurance.NO_INTENT})


def accepted(
    said: Collection[Reassurance], found: Collection[CrisisOutcome], *, hurt_at_home: bool
) -> frozenset[Reassurance]:
    """Return what of `said` counts against all that was found.

    Args:
        said: What one message says.
        found: Every outcome since the risk was raised.
        hurt_at_home: Whether the user told that somebody hurts them who may be of the family.
    """
    if CrisisOutcome.ABUSE_NOW in found:
        counts = {Reassurance.OUT_OF_DANGER}
    elif CrisisOutcome.HARM_TO_OTHERS in found:
        counts = {Reassurance.OUT_OF_DANGER, Reassurance.NO_HARM}
    elif hurt_at_home:
        counts = set(_AGAINST_OWN_DANGER)
    else:
        counts = {*_AGAINST_OWN_DANGER, Reassurance.SUPPORT}
    return frozenset(counts.intersection(said))
