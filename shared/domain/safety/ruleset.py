"""Everything that a message is read with: rules, the weak signs, and the contexts that take findings down."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from shared.domain.safety.contexts import Context, Scope
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Pattern
from shared.domain.safety.reading import Reading
from shared.domain.safety.rules import Rule
from shared.domain.safety.search import PatternIndex, Search
from shared.domain.safety.signs import Sign, add_up

_MESSAGE = -1
"""The message as a whole, among the numbers of its sentences."""


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
        return frozenset(self.outcomes(self.search(Reading(text)), laughing=False))

    def search(self, reading: Reading, beside: Search | None = None) -> Search:
        """Return a search for the patterns of all rules.

        Args:
            reading: The text.
            beside: Another reading of the same message, of which this one has only what differs.
        """
        return Search(reading, self._index, beside)

    def outcomes(self, search: Search, *, laughing: bool) -> dict[str, CrisisOutcome]:
        """Return what each rule and sign that hits in one normalised text amounts to there.

        Args:
            search: The text, searched.
            laughing: Whether there was laughter in it.
        """
        surroundings = _Surroundings(self._laughing if laughing else self._earnest, search, self._around)
        found: dict[str, CrisisOutcome] = {}
        signs: list[tuple[Sign, list[Pattern]]] = []
        for number, patterns in self._matching(search):
            if number < len(self.rules):
                rule = self.rules[number]
                outcome = surroundings.worst(rule.outcome, rule.sentences(search, patterns))
                if outcome is not None:
                    found[rule.id] = outcome
            else:
                signs.append((self.signs[number - len(self.rules)], patterns))
        weighed = add_up(search, signs, against=self._against)
        if weighed.ids:
            outcome = surroundings.taken(weighed.outcome, weighed.sentence)
            found |= dict.fromkeys(sorted(weighed.ids), outcome)
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
    def _laughing(self) -> "_Contexts":
        return _Contexts(self.contexts)

    @cached_property
    def _earnest(self) -> "_Contexts":
        return _Contexts([context for context in self.contexts if not context.laughing])

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
    def _around(self) -> Mapping[Scope, PatternIndex]:
        return {
            scope: PatternIndex(way for one in self.contexts if one.scope is scope for way in one.patterns)
            for scope in Scope
        }

    @cached_property
    def _owners(self) -> Mapping[Pattern, int]:
        """The number of the rule or sign that a pattern makes hit."""
        return {pattern: number for number, rule in enumerate(self._all) for pattern in rule.patterns}

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {rule.id: place for place, rule in enumerate(self._all)}


class _Contexts:
    """The contexts that count for a message.

    Attributes:
        asked: In this order.
        turned: The outcomes that one of them takes down.
    """

    def __init__(self, contexts: Sequence[Context]) -> None:
        self.asked = contexts
        self.turned = frozenset(chain.from_iterable(context.turns for context in contexts))


class _Surroundings:
    """What stands around the findings of one text; asked once for each sentence."""

    def __init__(self, contexts: _Contexts, search: Search, around: Mapping[Scope, PatternIndex]) -> None:
        self._contexts = contexts
        self._search = search
        self._around = around
        self._searches: dict[int, Search] = {}
        self._known: dict[tuple[str, int], bool] = {}
        self._taken: dict[tuple[CrisisOutcome, int], CrisisOutcome] = {}

    def worst(self, outcome: CrisisOutcome, sentences: Iterable[int]) -> CrisisOutcome | None:
        """Return the most pressing of what becomes of an outcome in some sentences; None where there are none."""
        worst: CrisisOutcome | None = None
        for sentence in sentences:
            taken = self.taken(outcome, sentence)
            if taken is outcome:
                return outcome
            if worst is None or taken.severity > worst.severity:
                worst = taken
        return worst

    def taken(self, outcome: CrisisOutcome, sentence: int) -> CrisisOutcome:
        """Return what becomes of an outcome in a sentence."""
        if outcome not in self._contexts.turned:
            return outcome
        key = (outcome, sentence)
        if key not in self._taken:
            for context in self._contexts.asked:
                if outcome in context.turns and self._surrounds(context, sentence):
                    outcome = context.into
            self._taken[key] = outcome
        return self._taken[key]

    def _surrounds(self, context: Context, sentence: int) -> bool:
        where = _MESSAGE if context.scope is Scope.MESSAGE else sentence
        key = (context.id, where)
        if key not in self._known:
            self._known[key] = context.surrounds(self._searched(where))
        return self._known[key]

    def _searched(self, where: int) -> Search:
        """Return a sentence, or the message, searched for the patterns of the contexts of its scope."""
        if where not in self._searches:
            reading = self._search.reading
            self._searches[where] = (
                self._search.again(self._around[Scope.MESSAGE])
                if where == _MESSAGE
                else Search(reading.part(reading.sentence(where)), self._around[Scope.SENTENCE])
            )
        return self._searches[where]
