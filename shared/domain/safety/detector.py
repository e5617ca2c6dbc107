"""Reads one message with the crisis rules, before any language model sees it."""

from shared.domain.model import Model
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.normalise import normalise
from shared.domain.safety.patterns import RuleSet


class Finding(Model):
    """What the rules found in one message; holds no text of it.

    Attributes:
        outcome: The most pressing one.
        rule_ids: Every rule that hit, in the order of the rules.
    """

    outcome: CrisisOutcome = CrisisOutcome.NONE
    rule_ids: tuple[str, ...] = ()


def detect(text: str, rules: RuleSet) -> Finding:
    """Return what `rules` find in `text`; never raises, whatever the text."""
    ids = frozenset().union(*(rules.hits(reading) for reading in normalise(text)))
    hits = tuple(rule for rule in rules.rules if rule.id in ids)
    outcome = max((rule.outcome for rule in hits), key=lambda found: found.severity, default=CrisisOutcome.NONE)
    return Finding(outcome=outcome, rule_ids=tuple(rule.id for rule in hits))
