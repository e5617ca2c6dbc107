"""What counts as a word of safety, and against what: a husband beside one is a comfort, or the danger itself."""

from collections.abc import Collection
from enum import StrEnum

from shared.domain.safety.levels import CrisisOutcome, Danger, danger_of


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


_OWN_WORD = {
    Danger.OWN_LIFE: Reassurance.NO_INTENT,
    Danger.OTHERS: Reassurance.NO_HARM,
    Danger.VIOLENCE: Reassurance.OUT_OF_DANGER,
}
"""What answers one danger and no other."""


def dangers(found: Collection[CrisisOutcome]) -> frozenset[Danger]:
    """Return every danger among all that was found; where it names none, their own life."""
    return frozenset(danger for outcome in found if (danger := danger_of(outcome))) or frozenset({Danger.OWN_LIFE})


def answered(said: Collection[Reassurance], known: Collection[Danger]) -> frozenset[Danger]:
    """Return the dangers that one message answers in so many words.

    Out of danger is whoever says so where there is one. Of several it may be any: the police at the door end a
    husband's violence, and no wish to die; there each needs its own word.

    Args:
        said: What the message says.
        known: Every danger since the risk was raised.
    """
    plain = {Reassurance.OUT_OF_DANGER} if len(known) == 1 else set()
    return frozenset(danger for danger in known if not {_OWN_WORD[danger], *plain}.isdisjoint(said))


def comforts(said: Collection[Reassurance], known: Collection[Danger], *, hurt_at_home: bool) -> bool:
    """Return whether company or calm is a word of safety: against a wish to die alone, and where home is a refuge.

    Args:
        said: What one message says.
        known: Every danger since the risk was raised.
        hurt_at_home: Whether the user told that somebody hurts them who may be of the family.
    """
    return Reassurance.SUPPORT in said and set(known) == {Danger.OWN_LIFE} and not hurt_at_home
