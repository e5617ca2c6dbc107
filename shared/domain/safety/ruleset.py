"""Everything that a message is read with: rules, the weak signs, and the contexts that take findings down."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from shared.domain.safety.contexts import Context
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Rule
from shared.domain.safety.reading import Reading
from shared.domain.safety.signs import Sign, weigh

_LATIN = re.compile(r"[a-z]{3}")


@dataclass(frozen=True)
class RuleSet:
    """Rules that are matched together, and what goes with them."""

    rules: tuple[Rule, ...]
    signs: tuple[Sign, ...] = ()
    contexts: tuple[Context, ...] = ()

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> "RuleSet":
        """Return the set of `rules` alone, in their order."""
        return cls(rules=tuple(rules))

    def hits(self, text: str) -> frozenset[str]:
        """Return the ids of the rules that find something in one normalised text."""
        return frozenset(self.outcomes(text, laughing=False))

    def outcomes(self, text: str, *, laughing: bool) -> dict[str, CrisisOutcome]:
        """Return what each rule and sign that hits in one normalised text amounts to there.

        Args:
            text: The text.
            laughing: Whether there was laughter in it.
        """
        reading = Reading(text)
        found: dict[str, CrisisOutcome] = {}
        spared = _spared(text)
        for rule in self.rules:
            if rule.id[:3] == spared:
                continue
            if sentences := rule.sentences(reading):
                found[rule.id] = _worst(self._within(reading, number, rule.outcome, laughing) for number in sentences)
        weighed = weigh([sign for sign in self.signs if sign.rule.id[:3] != spared], reading)
        if weighed.ids:
            outcome = self._within(reading, weighed.sentence, weighed.outcome, laughing)
            found |= dict.fromkeys(sorted(weighed.ids), outcome)
        return found

    def order(self, rule_id: str) -> int:
        """Return where a rule or sign stands; what is not of the set stands last."""
        return self._places.get(rule_id, len(self._places))

    @cached_property
    def _places(self) -> dict[str, int]:
        ids = [*(rule.id for rule in self.rules), *(sign.rule.id for sign in self.signs)]
        return {rule_id: place for place, rule_id in enumerate(ids)}

    def _within(self, reading: Reading, sentence: int, outcome: CrisisOutcome, laughing: bool) -> CrisisOutcome:
        for context in self.contexts:
            if outcome in context.turns and (laughing or not context.laughing) and context.surrounds(reading, sentence):
                outcome = context.into
        return outcome


def _spared(text: str) -> str:
    """Return how the ids begin of those that are for the other language's script alone."""
    if text.isascii():
        return "ko-"
    return "" if _LATIN.search(text) else "en-"


def _worst(outcomes: Iterable[CrisisOutcome]) -> CrisisOutcome:
    return max(outcomes, key=lambda outcome: outcome.severity)
