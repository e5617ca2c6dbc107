"""Everything that a message is read with: rules, the weak signs, and the contexts that take findings down."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from shared.safety.contexts import Context
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import Pattern
from shared.safety.reading import Reading, Span
from shared.safety.rules import Hit, Rule
from shared.safety.search import PatternIndex, Search
from shared.safety.signs import Sign, add_up


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
        return frozenset(self.outcomes(self.search(Reading(text))))

    def search(self, reading: Reading, beside: Search | None = None) -> Search:
        """Return a search for the patterns of all rules.

        Args:
            reading: The text.
            beside: Another reading of the same message, of which this one has only what differs.
        """
        return Search(reading, self._index, beside)

    def outcomes(self, search: Search) -> dict[str, CrisisOutcome]:
        """Return what each rule and sign that hits in one normalised text amounts to there."""
        surroundings = _Surroundings(self.contexts, search, self._around)
        found: dict[str, CrisisOutcome] = {}
        signs: list[tuple[Sign, list[Pattern]]] = []
        for number, patterns in self._matching(search):
            if number < len(self.rules):
                rule = self.rules[number]
                outcome = surroundings.worst(rule.outcome, rule.counting(search, rule.hits(search, patterns)))
                if outcome is not None:
                    found[rule.id] = outcome
            else:
                signs.append((self.signs[number - len(self.rules)], patterns))
        weighed = add_up(search, signs, against=self._against)
        if weighed.ids:
            found |= dict.fromkeys(sorted(weighed.ids), weighed.outcome)
        return found

    def compiling(self) -> Iterator[None]:
        """Compile the patterns that no text has needed yet, one at each step: milliseconds each, seconds in all."""
        groups = (*(rule.all_patterns for rule in self._all), *(context.all_patterns for context in self.contexts))
        for pattern in chain.from_iterable(groups):
            if pattern.compile():
                yield

    def order(self, rule_id: str) -> int:
        """Return where a rule or sign stands; what is not of the set stands last."""
        return self._places.get(rule_id, len(self._places))

    def _matching(self, search: Search) -> list[tuple[int, list[Pattern]]]:
        """Return the patterns that match, by the number of their rule or sign, in order."""
        candidates: defaultdict[int, list[Pattern]] = defaultdict(list)
        owners = self._owners
        for pattern in search.matching():
            candidates[owners[pattern]].append(pattern)
        return sorted(candidates.items())

    @cached_property
    def _against(self) -> tuple[Sign, ...]:
        return tuple(sign for sign in self.signs if sign.weight < 0)

    @cached_property
    def _all(self) -> tuple[Rule, ...]:
        return (*self.rules, *(sign.rule for sign in self.signs))

    @cached_property
    def _index(self) -> PatternIndex:
        return PatternIndex(pattern for rule in self._all for pattern in rule.patterns)

    @cached_property
    def _around(self) -> PatternIndex:
        return PatternIndex(pattern for context in self.contexts for pattern in context.patterns)

    @cached_property
    def _owners(self) -> Mapping[Pattern, int]:
        """The number of the rule or sign that a pattern makes hit."""
        return {pattern: number for number, rule in enumerate(self._all) for pattern in rule.patterns}

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {rule.id: place for place, rule in enumerate(self._all)}


class _Surroundings:
    """What is said of the findings of one text; looked for once, and only where something can be taken down."""

    def __init__(self, contexts: Sequence[Context], search: Search, around: PatternIndex) -> None:
        self._contexts = contexts
        self._search = search
        self._index = around
        self._turned = frozenset(chain.from_iterable(context.turns for context in contexts))

    def worst(self, outcome: CrisisOutcome, hits: Iterable[Hit]) -> CrisisOutcome | None:
        """Return the most pressing of what becomes of an outcome at some hits; None where there are none."""
        worst: CrisisOutcome | None = None
        for _, span in hits:
            taken = self._taken(outcome, span)
            if taken is outcome:
                return outcome
            if worst is None or taken.severity > worst.severity:
                worst = taken
        return worst

    def _taken(self, outcome: CrisisOutcome, span: Span) -> CrisisOutcome:
        if outcome not in self._turned:
            return outcome
        for context, spans in self._found:
            if outcome in context.turns and self._holds(spans, span):
                outcome = context.into
        return outcome

    def _holds(self, spans: Sequence[Span], hit: Span) -> bool:
        """Tell whether one of a context's matches overlaps the found words and begins in their clause."""
        if not spans:
            return False
        clause, _ = self._search.reading.clause(hit)
        begin, end = hit
        return any(clause <= first < end and begin < last for first, last in spans)

    @cached_property
    def _found(self) -> list[tuple[Context, list[Span]]]:
        """The contexts that count in this text, in order, each with its matches."""
        around = self._search.again(self._index)
        found = (
            (context, list(chain.from_iterable(map(around.spans, context.patterns)))) for context in self._contexts
        )
        return [
            (context, spans) for context, spans in found if spans and not self._search.holds(context.speaking_against)
        ]
