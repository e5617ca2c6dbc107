"""What counts as a word of safety, and against what: a husband beside one is a comfort, or the danger itself."""

from collections.abc import Collection
from enum import StrEnum

from shared.safety.levels import CrisisOutcome, Danger, danger_of


class Reassurance(StrEnum):
    """A kind of word with which somebody says that they are safe."""

    OUT_OF_DANGER = "out_of_danger"
    """Safe in so many words, away from the place, or with the police."""
    NO_INTENT = "no_intent"
    """No wish to die or to hurt themselves."""
    NO_HARM = "no_harm"
    """No wish to hurt anybody else."""
    CARED_FOR = "cared_for"
    """With those who see to their body: a hospital, an ambulance, a doctor."""
    SUPPORT = "support"
    """Somebody is there, help was reached, it is calmer: good, and also what people say who have decided to die."""


_OWN_WORD = {
    Danger.OWN_LIFE: Reassurance.NO_INTENT,
    Danger.OTHERS: Reassurance.NO_HARM,
    Danger.VIOLENCE: Reassurance.OUT_OF_DANGER,
    Danger.BODY: Reassurance.CARED_FOR,
}
"""What answers one danger and no other."""


def dangers(found: Collection[CrisisOutcome]) -> frozenset[Danger]:
    """Return every danger among all that was found; where it names none, their own life.

    An attempt is one of the body as well: whoever feels safe after it may still be poisoned.
    """
    named = frozenset(danger for outcome in found if (danger := danger_of(outcome))) or frozenset({Danger.OWN_LIFE})
    return named | {Danger.BODY} if CrisisOutcome.ATTEMPTED in found else named


def answered(said: Collection[Reassurance], known: Collection[Danger]) -> frozenset[Danger]:
    """Return the dangers that one message answers in so many words.

    Out of danger is whoever says so where there is one. Of several it may be any: the police at the door end a
    husband's violence, and no wish to die; there each needs its own word. A body is out of danger by care alone.

    Args:
        said: What the message says.
        known: Every danger since the risk was raised.
    """
    others = set(known) - {Danger.BODY}
    plain = others if len(others) == 1 and Reassurance.OUT_OF_DANGER in said else set()
    return frozenset(danger for danger in known if _OWN_WORD[danger] in said or danger in plain)


def comforts(said: Collection[Reassurance], known: Collection[Danger], *, hurt_at_home: bool) -> bool:
    """Return whether company or calm is a word of safety: against a wish to die alone, and where home is a refuge.

    Args:
        said: What one message says.
        known: Every danger since the risk was raised.
        hurt_at_home: Whether the user told that somebody hurts them who may be of the family.
    """
    return Reassurance.SUPPORT in said and set(known) - {Danger.BODY} == {Danger.OWN_LIFE} and not hurt_at_home
