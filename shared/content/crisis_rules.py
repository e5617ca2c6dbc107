"""The rules of the safety gate as data: read, checked and compiled once, on first use.

To expand the patterns, and to read from each which strings it needs, takes seconds. So both are kept in
crisis_anchors.json, beside the digest of the very rules they were read from: with any other rules they are not used.
After a change of the rules the file is written anew with `python -m tests.unit.shared.content.crisis_anchors`.
"""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from shared.content.loader import load_yaml
from shared.content.schemas.unique import unique
from shared.domain.errors import ContentError
from shared.model import Model
from shared.safety.contexts import LOWERED, Context
from shared.safety.detector import detect
from shared.safety.frequencies import Frequencies, Frequency
from shared.safety.levels import CrisisOutcome
from shared.safety.patterns import Pattern, patterns_of
from shared.safety.prefilter import Prefilter, prefilter_of
from shared.safety.rules import Rule
from shared.safety.ruleset import RuleSet
from shared.safety.signs import Sign

_FILE = Path(__file__).parent / "data" / "crisis_rules.yaml"
_ANCHORS = Path(__file__).parent / "data" / "crisis_anchors.json"
_ORDINARY = Path(__file__).parent / "data" / "crisis_ordinary.json"
"""Ordinary language: it tells how often letters stand beside each other."""
_TIMES = 10
"""How often it counts for each time that the rules' own examples do. Own figure."""


class Ways(NamedTuple):
    """What is looked for; see `Rule`."""

    patterns: tuple[Pattern, ...]
    exclusions: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]


class _Definition(Model):
    """What rules, signs and contexts have in common.

    Attributes:
        positives: Messages in which it must hit.
        negatives: Messages in which it must not.
    """

    id: str = Field(pattern=r"^(ko|en)-[a-z-]+$")
    patterns: tuple[str, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)

    def ways(self, fragments: dict[str, str], frequency: Frequency) -> Ways:
        """Return its patterns expanded, and what each needs.

        Args:
            fragments: What patterns share.
            frequency: How often strings stand in texts.

        Raises:
            ContentError: A pattern names a fragment that is not there.
        """

        def read(written: tuple[str, ...]) -> tuple[Pattern, ...]:
            try:
                sources = [one.source for one in patterns_of(written, fragments)]
            except KeyError as error:
                raise ContentError(_FILE.name, None, f"{self.id}: no fragment {error}") from error
            return tuple(Pattern(source, prefilter_of(source, frequency)) for source in sources)

        return Ways(read(self.patterns), read(self.exclusions), read(self.unless))


class RuleDefinition(_Definition):
    """One rule as written; a positive must come out at `outcome`, by this rule."""

    outcome: CrisisOutcome

    @model_validator(mode="after")
    def _nothing_silences_what_is_imminent(self) -> Self:
        if self.unless and self.outcome in (CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED):
            raise ValueError(f"{self.id}: nothing beside the words found may silence what is {self.outcome}")
        return self

    def compiled(self, ways: Ways) -> Rule:
        """Return the rule, ready to match."""
        return Rule(self.id, self.outcome, *ways, by_clause=True)


class SignDefinition(_Definition):
    """One weak sign as written."""

    family: str = Field(pattern=r"^[a-z-]+$")
    weight: int = Field(ge=-3, le=3)

    def compiled(self, ways: Ways) -> Sign:
        """Return the sign, ready to match."""
        return Sign(self.family, self.weight, Rule(self.id, CrisisOutcome.NONE, *ways))


class ContextDefinition(_Definition):
    """One context as written; it has no exclusions.

    Attributes:
        positives: Messages that come out at `into`, with a rule that would have said one of `turns`.
        negatives: Messages that come out at one of `turns`, whatever stands around.
    """

    turns: frozenset[CrisisOutcome] = Field(min_length=1)
    into: CrisisOutcome
    exclusions: tuple[()] = ()

    @model_validator(mode="after")
    def _takes_down(self) -> Self:
        if wrong := sorted(outcome for outcome in self.turns if outcome.severity <= self.into.severity):
            raise ValueError(f"a context takes findings down, but {self.into} is no less pressing than {wrong}")
        if wrong := sorted(self.turns - LOWERED):
            raise ValueError(f"no context may take down {wrong}")
        return self

    def compiled(self, ways: Ways) -> Context:
        """Return the context, ready to match."""
        return Context(self.id, self.turns, self.into, ways.patterns, ways.unless)


class CrisisRules(Model):
    """The file: fragments that patterns share, the rules, the weak signs and the contexts."""

    fragments: dict[str, str]
    rules: tuple[RuleDefinition, ...] = Field(min_length=1)
    signs: tuple[SignDefinition, ...] = ()
    contexts: tuple[ContextDefinition, ...] = ()

    @property
    def all(self) -> tuple[RuleDefinition | SignDefinition | ContextDefinition, ...]:
        """Everything that has an id and examples."""
        return (*self.rules, *self.signs, *self.contexts)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((one.id for one in self.all), "rule ids")
        return self


class KeptPattern(NamedTuple):
    """One pattern as it is matched, and what it needs."""

    source: str
    prefilter: Prefilter


class KeptPatterns(Model):
    """What was read of the rules before.

    Attributes:
        rules: The digest of the file of rules.
        ways: For each rule, sign and context, in order, its patterns, exclusions and what silences it.
    """

    rules: str
    ways: tuple[tuple[tuple[KeptPattern, ...], ...], ...]


@cache
def rule_definitions() -> CrisisRules:
    """Return the rules as written, with their examples.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(_FILE, CrisisRules)


@cache
def crisis_rules() -> RuleSet:
    """Return the compiled rules.

    Raises:
        ContentError: The file is wrong.
    """
    written, kept = rule_definitions(), kept_patterns()
    if kept is None or kept.rules != rules_digest():
        ways = read_ways(written)
    else:
        ways = [Ways(*(tuple(Pattern(*one) for one in group) for group in groups)) for groups in kept.ways]
    left = iter(ways)
    return RuleSet(
        rules=tuple(rule.compiled(next(left)) for rule in written.rules),
        signs=tuple(sign.compiled(next(left)) for sign in written.signs),
        contexts=tuple(context.compiled(next(left)) for context in written.contexts),
    )


def read_ways(written: CrisisRules) -> list[Ways]:
    """Return what the rules look for, and what each pattern needs, judged by what people write.

    Raises:
        ContentError: A pattern names a fragment that is not there.
    """
    examples = (text for one in written.all for text in (*one.positives, *one.negatives))
    frequency = Frequencies((*ordinary_language() * _TIMES, *examples))
    return [one.ways(written.fragments, frequency) for one in written.all]


def ordinary_language() -> tuple[str, ...]:
    """Return messages that people write who are in no danger."""
    return tuple(json.loads(_ORDINARY.read_bytes()))


def kept_patterns() -> KeptPatterns | None:
    """Return what was kept, None where nothing was.

    Raises:
        ContentError: The file is wrong.
    """
    if not _ANCHORS.exists():
        return None
    try:
        return KeptPatterns.model_validate_json(_ANCHORS.read_bytes())
    except ValidationError as error:
        raise ContentError(_ANCHORS.name, None, "write it anew, see crisis_rules.py") from error


def rules_digest() -> str:
    """Return the digest of the rules as they are written."""
    return sha256(_FILE.read_bytes()).hexdigest()


def alarming(*texts: str) -> bool:
    """Tell whether the rules find anything at all in one of the texts.

    Such words are answered and followed through. They never become a goal, an item of a plan or a title.
    """
    return any(detect(text, crisis_rules()).outcome is not CrisisOutcome.NONE for text in texts)
