"""Everything that a message is read with: rules, the weak signs, and the contexts that take findings down."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from shared.domain.safety.contexts import Context, Scope
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Pattern, Rule
from shared.domain.safety.prefilter import Anchor
from shared.domain.safety.reading import Reading, Span, Strings
from shared.domain.safety.signs import Sign, weigh

_LATIN = re.compile(r"[a-z]{3}")
_SEVERITY = {outcome: outcome.severity for outcome in CrisisOutcome}


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

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The anchors of all patterns, in their order; reading them takes a tenth of a second."""
        of_contexts = (pattern for context in self.contexts for pattern in (*context.patterns, *context.unless))
        return tuple(pattern.anchor for pattern in (*(pattern for _, pattern in self._patterns), *of_contexts))

    def anchored(self, anchors: Sequence[Anchor]) -> "RuleSet":
        """Return the same rules with anchors that were read before; they must be those of the very patterns."""
        left = iter(anchors)

        def known(patterns: Sequence[Pattern]) -> tuple[Pattern, ...]:
            return tuple(Pattern(pattern.source, next(left)) for pattern in patterns)

        rules = tuple(replace(rule, patterns=known(rule.patterns)) for rule in self.rules)
        signs = tuple(replace(sign, rule=replace(sign.rule, patterns=known(sign.rule.patterns))) for sign in self.signs)
        contexts = tuple(replace(one, patterns=known(one.patterns), unless=known(one.unless)) for one in self.contexts)
        return RuleSet(rules, signs, contexts)

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
        surroundings = _Surroundings(self.contexts, reading, laughing=laughing)
        found: dict[str, CrisisOutcome] = {}
        signs: dict[int, list[Sign]] = {}
        for number, sentences in self._finds(reading):
            if number < len(self.rules):
                rule = self.rules[number]
                outcome = surroundings.worst(rule.outcome, sentences)
                if outcome is not None:
                    found[rule.id] = outcome
            else:
                for sentence in sentences:
                    signs.setdefault(sentence, []).append(self.signs[number - len(self.rules)])
        weighed = weigh(signs)
        if weighed.ids:
            outcome = surroundings.taken(weighed.outcome, weighed.sentence)
            found |= dict.fromkeys(sorted(weighed.ids), outcome)
        return found

    def order(self, rule_id: str) -> int:
        """Return where a rule or sign stands; what is not of the set stands last."""
        return self._places.get(rule_id, len(self._places))

    def _finds(self, reading: Reading) -> Iterable[tuple[int, Iterable[int]]]:
        """Yield the numbers of the rules and signs that may find something, and the sentences in which they do."""
        places = self._strings(_spared(reading.text)).found(reading)
        hits: dict[int, list[Span]] = {}
        for at in sorted(places):
            number, pattern = self._patterns[at]
            if spans := pattern.spans(reading, places[at]):
                hits.setdefault(number, []).extend(spans)
        for number, spans in hits.items():
            yield number, self._all[number].counted(reading, spans)

    @cached_property
    def _all(self) -> tuple[Rule, ...]:
        return (*self.rules, *(sign.rule for sign in self.signs))

    @cached_property
    def _patterns(self) -> tuple[tuple[int, Pattern], ...]:
        """All patterns in order, each with the number of its rule."""
        return tuple((number, pattern) for number, rule in enumerate(self._all) for pattern in rule.patterns)

    def _strings(self, spared: str) -> Strings:
        """Return the strings of all rules but those for one language's script, with the numbers of their patterns."""
        if spared not in self._found_by:
            owners: dict[str, list[int]] = {}
            for at, (number, pattern) in enumerate(self._patterns):
                if not spared or _language(self._all[number]) != spared:
                    for string in pattern.anchor.strings or ("",):
                        owners.setdefault(string, []).append(at)
            far = [context for context in self.contexts if context.scope is Scope.MESSAGE]
            patterns = [pattern for context in far for pattern in (*context.patterns, *context.unless)]
            noted = [string for pattern in patterns for string in pattern.anchor.strings or ()]
            self._found_by[spared] = Strings(owners, noted)
        return self._found_by[spared]

    @cached_property
    def _found_by(self) -> dict[str, Strings]:
        return {}

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {rule.id: place for place, rule in enumerate(self._all)}


class _Surroundings:
    """What stands around the findings of one text; asked once for each sentence."""

    def __init__(self, contexts: Sequence[Context], reading: Reading, *, laughing: bool) -> None:
        self._contexts = [context for context in contexts if laughing or not context.laughing]
        self._taken_down = frozenset().union(*(context.turns for context in self._contexts))
        self._reading = reading
        self._known: dict[tuple[str, int], bool] = {}
        self._taken: dict[tuple[CrisisOutcome, int], CrisisOutcome] = {}

    def worst(self, outcome: CrisisOutcome, sentences: Iterable[int]) -> CrisisOutcome | None:
        """Return the most pressing of what becomes of an outcome in some sentences; None where there are none."""
        worst: CrisisOutcome | None = None
        for sentence in sentences:
            taken = self.taken(outcome, sentence)
            if taken is outcome:
                return outcome
            if worst is None or _SEVERITY[taken] > _SEVERITY[worst]:
                worst = taken
        return worst

    def taken(self, outcome: CrisisOutcome, sentence: int) -> CrisisOutcome:
        """Return what becomes of an outcome in a sentence."""
        if outcome not in self._taken_down:
            return outcome
        key = (outcome, sentence)
        if key not in self._taken:
            for context in self._contexts:
                if outcome in context.turns and self._surrounds(context, sentence):
                    outcome = context.into
            self._taken[key] = outcome
        return self._taken[key]

    def _surrounds(self, context: Context, sentence: int) -> bool:
        key = (context.id, -1 if context.scope is Scope.MESSAGE else sentence)
        if key not in self._known:
            self._known[key] = context.surrounds(self._reading, sentence)
        return self._known[key]


def _language(rule: Rule) -> str:
    return rule.id[:3]


def _spared(text: str) -> str:
    """Return how the ids begin of those that are for the other language's script alone."""
    if text.isascii():
        return "ko-"
    return "" if _LATIN.search(text) else "en-"
