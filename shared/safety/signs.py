"""Signs that say little alone and much together: a farewell beside a means, a settled estate beside a date.

The signs of neighbouring sentences add up, each family once: so a long message of ordinary complaints does not grow
into a crisis, and a plan told in three short sentences does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.safety.levels import CrisisOutcome, most_pressing
from shared.safety.patterns import Pattern
from shared.safety.rules import Hit, Rule
from shared.safety.search import Search

NEIGHBOURS = 3
"""Sentences that are weighed together. Own figure: people tell a plan in two or three."""
_UNSPECIFIC = ("distress", "circumstance")
"""Families of every hard talk: they weigh something only beside a sign of another family."""
_ENOUGH = 3
"""The weight that makes a concern. Own figure, set on our messages.

No sum makes a crisis: docs/safety.md, "Signs that add up".
"""


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

    @property
    def specific(self) -> bool:
        """Whether it says more than that a talk is hard."""
        return self.family not in _UNSPECIFIC


@dataclass(frozen=True)
class Weighed:
    """What the signs come to.

    Attributes:
        outcome: None or concern.
        ids: The signs that made it.
        sentence: Where they begin.
    """

    outcome: CrisisOutcome
    ids: frozenset[str] = frozenset()
    sentence: int = 0


NOTHING = Weighed(CrisisOutcome.NONE)


def add_up(search: Search, signs: Sequence[tuple[Sign, Sequence[Pattern]]], against: Sequence[Sign]) -> Weighed:
    """Return what the signs of a text come to; each is looked at closely only where they might come to something.

    Args:
        search: The text.
        signs: Those that may be there, each with its patterns that match.
        against: Those that speak against others wherever in the message they stand.
    """
    adding = [(sign, patterns) for sign, patterns in signs if sign.weight > 0]
    specific = [(sign, list(sign.rule.hits(search, patterns))) for sign, patterns in adding if sign.specific]
    around = _around(number for _, hits in specific for number, _ in hits)
    if not around:
        return NOTHING
    others = ((sign, sign.rule.hits(search, patterns)) for sign, patterns in adding if not sign.specific)
    unspecific = [(sign, _within(around, hits)) for sign, hits in others]
    suspected = _by_sentence((sign, {number for number, _ in hits}) for sign, hits in (*specific, *unspecific))
    near = frozenset(number for first in _telling(suspected) for number in range(first, first + NEIGHBOURS))
    found = _by_sentence((sign, sign.rule.counting_sentences(search, _within(near, hits))) for sign, hits in specific)
    if not found:
        return NOTHING
    counting = ((sign, sign.rule.counting_sentences(search, _within(near, hits))) for sign, hits in unspecific)
    found = _by_sentence(counting, found)
    if weigh(found) is NOTHING:
        return NOTHING
    texts = (search,) if search.beside is None else (search, search.beside)
    return weigh(found, [one for one in against if any(True for text in texts for _ in one.rule.sentences(text))])


def weigh(found: Mapping[int, Sequence[Sign]], against: Sequence[Sign] = ()) -> Weighed:
    """Return what signs come to where they stand closest; `NOTHING` where they come to none.

    Args:
        found: The signs of each sentence that has some, none of them against others.
        against: Signs of the message that speak against others wherever they stand.
    """
    taken = {sign.family: sign.weight for sign in against}
    outcome, at = CrisisOutcome.NONE, 0
    for sentence in _telling(found):
        here = _outcome(_heaviest(found, sentence) | taken)
        if here is not outcome and most_pressing(here, outcome) is here:
            outcome, at = here, sentence
    if outcome is CrisisOutcome.NONE:
        return NOTHING
    near = range(at, at + NEIGHBOURS)
    return Weighed(outcome, frozenset(sign.rule.id for number in near for sign in found.get(number, ())), at)


def _by_sentence(
    signs: Iterable[tuple[Sign, Iterable[int]]], known: Mapping[int, Sequence[Sign]] | None = None
) -> Mapping[int, Sequence[Sign]]:
    found: dict[int, list[Sign]] = {sentence: list(there) for sentence, there in (known or {}).items()}
    for sign, sentences in signs:
        for sentence in sentences:
            found.setdefault(sentence, []).append(sign)
    return found


def _within(sentences: frozenset[int], hits: Iterable[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit[0] in sentences]


def _around(sentences: Iterable[int]) -> frozenset[int]:
    """Return the sentences that are weighed together with one of some."""
    away = range(1 - NEIGHBOURS, NEIGHBOURS)
    return frozenset(number + far for number in frozenset(sentences) for far in away)


def _telling(found: Mapping[int, Sequence[Sign]]) -> list[int]:
    """Return the sentences, in order, whose signs come to something with those of the next."""
    weights = {sentence: sum([sign.weight for sign in signs]) for sentence, signs in found.items()}
    return [
        sentence
        for sentence in sorted(found)
        if sum([weights.get(number, 0) for number in range(sentence, sentence + NEIGHBOURS)]) >= _ENOUGH
        and _outcome(_heaviest(found, sentence)) is not CrisisOutcome.NONE
    ]


def _heaviest(found: Mapping[int, Sequence[Sign]], first: int) -> dict[str, int]:
    heaviest: dict[str, int] = {}
    for number in range(first, first + NEIGHBOURS):
        for sign in found.get(number, ()):
            if sign.weight > heaviest.get(sign.family, 0):
                heaviest[sign.family] = sign.weight
    return heaviest


def _outcome(heaviest: Mapping[str, int]) -> CrisisOutcome:
    specific = [weight for family, weight in heaviest.items() if family not in _UNSPECIFIC and weight]
    if sum(specific) <= 0 or sum(heaviest.values()) < _ENOUGH:
        return CrisisOutcome.NONE
    return CrisisOutcome.CONCERN
