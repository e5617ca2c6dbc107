"""The rules of the safety gate as data: read, checked and compiled once, on first use.

Which strings each pattern needs is read from the patterns themselves, which takes a tenth of a second. So it is kept in
crisis_anchors.json, beside the digest of the very rules it was read from: with any other rules it is not used. After a
change of the rules it is written anew with `python -m tests.unit.shared.content.crisis_anchors`.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from shared.content.loader import load_yaml
from shared.content.schemas.unique import unique
from shared.domain.errors import ContentError
from shared.domain.model import Model
from shared.domain.safety.contexts import Context, Scope
from shared.domain.safety.detector import detect
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Pattern, Rule, patterns_of
from shared.domain.safety.prefilter import Anchor
from shared.domain.safety.ruleset import RuleSet
from shared.domain.safety.signs import Sign

_FILE = Path(__file__).parent / "data" / "crisis_rules.yaml"
_ANCHORS = Path(__file__).parent / "data" / "crisis_anchors.json"


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

    def _rule(self, outcome: CrisisOutcome, fragments: dict[str, str]) -> Rule:
        return Rule(
            id=self.id,
            outcome=outcome,
            patterns=self._compiled(self.patterns, fragments),
            exclusions=self._compiled(self.exclusions, fragments),
            unless=self._compiled(self.unless, fragments),
        )

    def _compiled(self, written: tuple[str, ...], fragments: dict[str, str]) -> tuple[Pattern, ...]:
        try:
            return patterns_of(written, fragments)
        except KeyError as error:
            raise ContentError(_FILE.name, None, f"{self.id}: no fragment {error}") from error


class RuleDefinition(_Definition):
    """One rule as written; a positive must come out at `outcome`, by this rule."""

    outcome: CrisisOutcome

    def compiled(self, fragments: dict[str, str]) -> Rule:
        """Return the rule, ready to match.

        Raises:
            ContentError: A pattern names a fragment that is not there.
        """
        return self._rule(self.outcome, fragments)


class SignDefinition(_Definition):
    """One weak sign as written."""

    family: str = Field(pattern=r"^[a-z-]+$")
    weight: int = Field(ge=-3, le=3)

    def compiled(self, fragments: dict[str, str]) -> Sign:
        """Return the sign, ready to match.

        Raises:
            ContentError: A pattern names a fragment that is not there.
        """
        return Sign(self.family, self.weight, self._rule(CrisisOutcome.NONE, fragments))


class ContextDefinition(_Definition):
    """One context as written; it has no exclusions.

    Attributes:
        positives: Messages that come out at `into`, with a rule that would have said one of `turns`.
        negatives: Messages that come out at one of `turns`, whatever stands around.
    """

    scope: Scope
    turns: frozenset[CrisisOutcome] = Field(min_length=1)
    into: CrisisOutcome
    laughing: bool = False
    exclusions: tuple[()] = ()

    @model_validator(mode="after")
    def _takes_down(self) -> Self:
        if wrong := sorted(outcome for outcome in self.turns if outcome.severity <= self.into.severity):
            raise ValueError(f"a context takes findings down, but {self.into} is no less pressing than {wrong}")
        return self

    def compiled(self, fragments: dict[str, str]) -> Context:
        """Return the context, ready to match.

        Raises:
            ContentError: A pattern names a fragment that is not there.
        """
        patterns, unless = self._compiled(self.patterns, fragments), self._compiled(self.unless, fragments)
        return Context(self.id, self.scope, self.turns, self.into, patterns, unless, self.laughing)


class CrisisRules(Model):
    """The file: fragments that patterns share, the rules, the weak signs and the contexts."""

    fragments: dict[str, str]
    rules: tuple[RuleDefinition, ...] = Field(min_length=1)
    signs: tuple[SignDefinition, ...] = ()
    contexts: tuple[ContextDefinition, ...] = ()

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((one.id for one in (*self.rules, *self.signs, *self.contexts)), "rule ids")
        return self


class KeptAnchors(Model):
    """What the patterns need, as it was read before.

    Attributes:
        rules: The digest of the file of rules.
        anchors: Those of all patterns of rules and signs, in order.
    """

    rules: str
    anchors: tuple[Anchor, ...]


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
    rules = compiled_rules()
    kept = kept_anchors()
    return rules.anchored(kept.anchors) if kept and kept.rules == rules_digest() else rules


def compiled_rules() -> RuleSet:
    """Return the rules compiled from their file alone.

    Raises:
        ContentError: The file is wrong.
    """
    written = rule_definitions()
    return RuleSet(
        rules=tuple(rule.compiled(written.fragments) for rule in written.rules),
        signs=tuple(sign.compiled(written.fragments) for sign in written.signs),
        contexts=tuple(context.compiled(written.fragments) for context in written.contexts),
    )


def kept_anchors() -> KeptAnchors | None:
    """Return what was kept, None where nothing was.

    Raises:
        ContentError: The file is wrong.
    """
    if not _ANCHORS.exists():
        return None
    try:
        return KeptAnchors.model_validate_json(_ANCHORS.read_bytes())
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
