"""Reads one message with the crisis rules, before any language model sees it."""

from shared.model import Model
from shared.safety.levels import CrisisOutcome, most_pressing
from shared.safety.normalise import normalise
from shared.safety.reading import Reading
from shared.safety.ruleset import RuleSet
from shared.safety.signs import NEIGHBOURS


class Finding(Model):
    """What the rules found in one message; holds no text of it.

    Attributes:
        outcome: The most pressing one.
        outcomes: All that its rules and signs come to.
        rule_ids: Every rule that hit, and the signs that added up, in the order of the rules.
    """

    outcome: CrisisOutcome = CrisisOutcome.NONE
    outcomes: frozenset[CrisisOutcome] = frozenset()
    rule_ids: tuple[str, ...] = ()


def detect(text: str, rules: RuleSet) -> Finding:
    """Return what `rules` find in `text`; never raises, whatever the text."""
    found: dict[str, CrisisOutcome] = {}
    plain, *others = normalise(text)
    reading = Reading(plain)
    first = rules.search(reading)
    differing = (reading.differing(other, around=NEIGHBOURS - 1) for other in others)
    for search in (first, *(rules.search(sentences, beside=first) for sentences in differing)):
        for rule_id, outcome in rules.outcomes(search).items():
            found[rule_id] = most_pressing(found.get(rule_id, outcome), outcome)
    worst = most_pressing(*found.values())
    ids = tuple(sorted(found, key=rules.order))
    return Finding(outcome=worst, outcomes=frozenset(found.values()), rule_ids=ids)
