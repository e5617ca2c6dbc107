"""Signs that say little alone and much together: a farewell beside a means, a settled estate beside a date.

The signs of neighbouring sentences add up, each family once: so a long message of ordinary complaints does not grow
into a crisis, and a plan told in three short sentences does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.domain.safety.levels import CrisisOutcome, most_pressing
from shared.domain.safety.patterns import Rule

_NEIGHBOURS = 3
"""Sentences that are weighed together. Own figure: people tell a plan in two or three."""
_UNSPECIFIC = ("distress", "circumstance")
"""Families of every hard talk: they weigh something only beside a sign of another family."""
_ENOUGH = 3
"""The weight that makes a concern."""
_SPECIFIC = 2
"""How much of it must be specific, and of more than one family, to make a crisis. Own figures, set on our messages."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A weak sign.

    Attributes:
        family: What it is a sign of; of one family only the heaviest counts.
        weight: 1 to 3; below 0 for what, anywhere in the message, speaks against it: a last day at work has
            farewells, too.
        rule: What is looked for; its outcome is not used.
    """

    family: str
    weight: int
    rule: Rule


@dataclass(frozen=True)
class Weighed:
    """What the signs come to.

    Attributes:
        outcome: None, concern or crisis.
        ids: The signs that made it.
        sentence: Where they begin.
    """

    outcome: CrisisOutcome
    ids: frozenset[str] = frozenset()
    sentence: int = 0


def weigh(found: Mapping[int, Sequence[Sign]]) -> Weighed:
    """Return what signs come to where they stand closest.

    Args:
        found: The signs of each sentence that has some.
    """
    against = {sign.family: sign.weight for signs_here in found.values() for sign in signs_here if sign.weight < 0}
    outcome, at = CrisisOutcome.NONE, 0
    weights = {sentence: sum([sign.weight for sign in signs if sign.weight > 0]) for sentence, signs in found.items()}
    for sentence in sorted(found):
        if sum([weights.get(number, 0) for number in range(sentence, sentence + _NEIGHBOURS)]) < _ENOUGH:
            continue
        here = _outcome(_heaviest(found, sentence) | against)
        if here is not outcome and most_pressing(here, outcome) is here:
            outcome, at = here, sentence
    if outcome is CrisisOutcome.NONE:
        return Weighed(outcome)
    near = range(at, at + _NEIGHBOURS)
    return Weighed(outcome, frozenset(sign.rule.id for number in near for sign in found.get(number, ())), at)


def _heaviest(found: Mapping[int, Sequence[Sign]], first: int) -> dict[str, int]:
    heaviest: dict[str, int] = {}
    for number in range(first, first + _NEIGHBOURS):
        for sign in found.get(number, ()):
            if abs(sign.weight) > abs(heaviest.get(sign.family, 0)):
                heaviest[sign.family] = sign.weight
    return heaviest


def _outcome(heaviest: Mapping[str, int]) -> CrisisOutcome:
    specific = [weight for family, weight in heaviest.items() if family not in _UNSPECIFIC and weight]
    if sum(specific) <= 0 or sum(heaviest.values()) < _ENOUGH:
        return CrisisOutcome.NONE
    return CrisisOutcome.CRISIS if sum(specific) >= _SPECIFIC and len(specific) > 1 else CrisisOutcome.CONCERN
