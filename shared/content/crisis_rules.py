"""The rules of the safety gate as data: read, checked and compiled once, on first use."""

from functools import cache
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from shared.content.loader import load_yaml
from shared.domain.errors import ContentError
from shared.domain.model import Model
from shared.domain.safety.detector import detect
from shared.domain.safety.levels import CrisisOutcome
from shared.domain.safety.patterns import Rule, RuleSet, patterns_of

_FILE = Path(__file__).parent / "data" / "crisis_rules.yaml"


class RuleDefinition(Model):
    """One rule as written.

    Attributes:
        positives: Messages that must come out at `outcome`, by this rule.
        negatives: Messages that must not hit this rule.
    """

    id: str = Field(pattern=r"^(ko|en)-[a-z-]+$")
    outcome: CrisisOutcome
    patterns: tuple[str, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)

    def compiled(self, fragments: dict[str, str]) -> Rule:
        """Return the rule, ready to match.

        Raises:
            ContentError: A pattern names a fragment that is not there.
        """
        try:
            return Rule(
                id=self.id,
                outcome=self.outcome,
                patterns=patterns_of(self.patterns, fragments),
                exclusions=patterns_of(self.exclusions, fragments),
                unless=patterns_of(self.unless, fragments),
            )
        except KeyError as error:
            raise ContentError(_FILE.name, None, f"{self.id}: no fragment {error}") from error


class CrisisRules(Model):
    """The file: fragments that patterns share, and the rules."""

    fragments: dict[str, str]
    rules: tuple[RuleDefinition, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [rule.id for rule in self.rules]
        if twice := {rule_id for rule_id in ids if ids.count(rule_id) > 1}:
            raise ValueError(f"rule ids used twice: {sorted(twice)}")
        return self


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
    written = rule_definitions()
    return RuleSet.of([rule.compiled(written.fragments) for rule in written.rules])


def alarming(*texts: str) -> bool:
    """Tell whether the rules find anything at all in one of the texts.

    Such words are answered and followed through. They never become a goal, an item of a plan or a title.
    """
    return any(detect(text, crisis_rules()).outcome is not CrisisOutcome.NONE for text in texts)
