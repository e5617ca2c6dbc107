"""Finds rules in a message: all triggers in one pass, then the patterns of rules whose trigger occurs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ahocorasick_rs import AhoCorasick

from shared.safety.predicates import Predicate
from shared.safety.reading import Reading, Span


class Family(StrEnum):
    """Subject of a rule; it determines the type of its outcome."""

    CRISIS = "crisis"
    """Danger to life, the writer's or another person's: a `CrisisOutcome`."""
    SIGN = "sign"
    """Weak alone: adds up with signs of other kinds (signs.py)."""
    ABUSE = "abuse"
    """Another person hurts the writer: `abuse` if body or freedom is in danger, else `abuse_told`."""
    ABUSE_TIME = "abuse_time"
    """When the violence was: `past`, `present`, `now` (abuse.py)."""
    AGE = "age"
    """The writer's age: a `StatedAge`."""
    AGE_OWNER = "age_owner"
    """Whose age is stated: `of_another`, `of_self` (ages.py)."""
    GUARD = "guard"
    """What a reply must not say: a `Category` (output_guard); not used on messages."""


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule.

    Attributes:
        outcome: Meaning of its words.
        kind: For a sign, its kind; for abuse, the offender or form.
        weight: For a sign, 1 to 3.
        wish: It finds no more than a wish to be dead, or despair; of any other rule more is assumed.
        triggers: Literal stems without blanks: the rule is tried in sentences that contain one.
        sources: Regular expressions.
        not_if: Predicates that may lower a finding; the first that holds counts.
        ground: Source of its outcome.
    """

    id: str
    family: Family
    outcome: str
    triggers: tuple[str, ...]
    sources: tuple[str, ...]
    not_if: tuple[Predicate, ...] = ()
    ground: str = ""
    kind: str = ""
    weight: int = 0
    wish: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Its patterns combined; compiled at first use."""
        return re.compile("|".join(f"(?:{source})" for source in self.sources))


@dataclass(frozen=True)
class Match:
    """Text of a message that a rule found.

    Attributes:
        sentence: Number of its sentence.
        by: The predicate that lowers the finding, or None.
    """

    rule: Rule
    reading: Reading
    span: Span
    sentence: int
    by: Predicate | None

    @property
    def words(self) -> str:
        """The text found; never to be logged or stored."""
        return self.reading.text[slice(*self.span)]


class Matcher:
    """A set of rules whose triggers form one automaton (Aho and Corasick, 1975)."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        owners: defaultdict[str, list[int]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            for trigger in rule.triggers:
                owners[trigger].append(number)
        self._owners: Sequence[Sequence[int]] = list(owners.values())
        self._automaton = AhoCorasick(list(owners))

    def matches(self, reading: Reading) -> Iterator[Match]:
        """Yield the matches in a text, rule by rule in their order."""
        for number, sentences in sorted(self._candidates(reading).items()):
            rule = self.rules[number]
            for sentence in sorted(sentences):
                yield from _in_sentence(rule, reading, sentence)

    def _candidates(self, reading: Reading) -> dict[int, set[int]]:
        found: defaultdict[int, set[int]] = defaultdict(set)
        for trigger, at, _ in self._automaton.find_matches_as_indexes(reading.squeezed, overlapping=True):
            sentence = reading.sentence_of_letter(at)
            for number in self._owners[trigger]:
                found[number].add(sentence)
        return found


def _in_sentence(rule: Rule, reading: Reading, sentence: int) -> Iterator[Match]:
    begin, end = reading.sentence(sentence)
    while begin < end and (found := rule.pattern.search(reading.text, begin, end)):
        span = found.span()
        if reading.begins_inside_word(span):
            begin = span[0] + 1
            continue
        by = next((one for one in rule.not_if if one.holds(reading, span)), None)
        yield Match(rule, reading, span, sentence, by)
        if by is None:
            return  # further matches of the rule add nothing
        begin = max(span[1], span[0] + 1)
