"""Which statements count as reassurance against which danger."""

from collections.abc import Collection
from enum import StrEnum

from shared.safety.levels import CrisisOutcome, Danger, danger_of


class Reassurance(StrEnum):
    """Ways in which a user says that they are safe."""

    OUT_OF_DANGER = "out_of_danger"
    """Explicitly safe, away from the place, or with the police."""
    NO_INTENT = "no_intent"
    """No wish to die or to hurt themselves."""
    NO_HARM = "no_harm"
    """No wish to hurt other people."""
    CARED_FOR = "cared_for"
    """Under medical care: a hospital, an ambulance, a doctor."""
    SUPPORT = "support"
    """Company, help or calm: a good sign, but also reported by people who have decided to die."""


_OWN_WORD = {
    Danger.OWN_LIFE: Reassurance.NO_INTENT,
    Danger.OTHERS: Reassurance.NO_HARM,
    Danger.VIOLENCE: Reassurance.OUT_OF_DANGER,
    Danger.BODY: Reassurance.CARED_FOR,
}
"""The reassurance that answers each danger only."""


def dangers(found: Collection[CrisisOutcome]) -> frozenset[Danger]:
    """Return every danger of the findings; by default the user's own life.

    An attempt also endangers the body: the user may be poisoned although they feel safe.
    """
    named = frozenset(danger for outcome in found if (danger := danger_of(outcome))) or frozenset({Danger.OWN_LIFE})
    return named | {Danger.BODY} if CrisisOutcome.ATTEMPTED in found else named


def answered(said: Collection[Reassurance], known: Collection[Danger]) -> frozenset[Danger]:
    """Return the dangers that one message answers explicitly.

    "Out of danger" answers a single danger. With several it is ambiguous, so each needs its own reassurance. The body
    is answered by medical care only.

    Args:
        said: Reassurances in the message.
        known: Every danger since the risk was raised.
    """
    others = set(known) - {Danger.BODY}
    plain = others if len(others) == 1 and Reassurance.OUT_OF_DANGER in said else set()
    return frozenset(danger for danger in known if _OWN_WORD[danger] in said or danger in plain)


def comforts(said: Collection[Reassurance], known: Collection[Danger], *, unsafe_at_home: bool) -> bool:
    """Return whether company or calm is a reassurance: only if the sole danger is a wish to die and home is safe.

    Args:
        said: Reassurances in the message.
        known: Every danger since the risk was raised.
        unsafe_at_home: Whether a possible family member hurts the user, or the user fears the home.
    """
    return Reassurance.SUPPORT in said and set(known) - {Danger.BODY} == {Danger.OWN_LIFE} and not unsafe_at_home
