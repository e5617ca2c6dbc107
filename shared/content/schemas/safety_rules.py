"""`shared/safety/rules/<locale>/*.yaml`: how rules, predicates and what they share are written.

Patterns, examples and triggers are plain text, so that nothing needs quotes: one pattern or one example a line,
triggers with blanks between them.
"""

from typing import Annotated, Self, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from shared.content.schemas.unique import unique
from shared.model import Model
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family
from shared.safety.predicates import Makes

LONGEST_PATTERN = 120
"""Characters of one line of a pattern: what a reader takes in at a glance."""


def _lines(written: object) -> object:
    return tuple(filter(None, map(str.strip, written.split("\n")))) if isinstance(written, str) else written


def _words(written: object) -> object:
    return tuple(written.split()) if isinstance(written, str) else written


Line: TypeAlias = Annotated[str, Field(max_length=LONGEST_PATTERN)]
Patterns: TypeAlias = Annotated[tuple[Line, ...], BeforeValidator(_lines)]
Examples: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_lines)]
Words: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_words)]


class RuleEntry(Model):
    """One rule as written.

    Attributes:
        outcome: What its words say; for a sign nothing but `sign`.
        ground: A C-SSRS item, or the source that names these words.
        triggers: Literal stems; a message is looked at where it has one.
        pattern: What is found, see shared/safety/patterns.py.
        not_if: Names of predicates that take a finding down.
        found: Messages that come out at the outcome, by this rule.
        not_found: Messages that do not.
        kind: Of a sign or of abuse.
        weight: Of a sign, 1 to 3.
    """

    id: str = Field(pattern=r"^(ko|en)-[a-z0-9-]+$")
    outcome: str
    ground: str = Field(min_length=3)
    triggers: Words = Field(min_length=1)
    pattern: Patterns = Field(min_length=1)
    not_if: Words = ()
    found: Examples = Field(min_length=2)
    not_found: Examples = Field(min_length=1)
    kind: str = ""
    weight: int = Field(default=0, ge=0, le=3)


class RuleFile(Model):
    """One file of rules: one clinical category in one language."""

    family: Family
    rules: tuple[RuleEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _outcomes_are_known(self) -> Self:
        if self.family is Family.GUARD:
            raise ValueError("rules about replies stand in files named guard_*.yaml")
        for rule in self.rules:
            if self.family is Family.CRISIS and CrisisOutcome(rule.outcome) is CrisisOutcome.NONE:
                raise ValueError(f"{rule.id}: a rule finds something")
            if self.family is Family.SIGN and not (rule.kind and rule.weight):
                raise ValueError(f"{rule.id}: a sign has a kind and a weight")
        return self

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((rule.id for rule in self.rules), "rule ids")
        return self


class Way(Model):
    """One way in which a predicate is told: a pattern right before the words found, one right after them, or both.

    Attributes:
        words: What the words found themselves must begin with, `(?!내가)` for what they must not.
        unless: What their sentence must not have: "again" next to "years ago".
    """

    before: Line = ""
    behind: Line = ""
    words: Line = ""
    unless: Line = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.before and not self.behind:
            raise ValueError("`before`, `behind` or both")
        return self


class PredicateEntry(Model):
    """One predicate as written.

    Attributes:
        makes: What becomes of a finding of which it holds.
        any_of: The ways in which it is told.
        holds: Sentences, the words found in square brackets, of which it holds.
        not_holds: Sentences of which it does not.
    """

    id: str = Field(pattern=r"^[a-z_]+$")
    makes: Makes
    any_of: tuple[Way, ...] = Field(min_length=1)
    holds: Examples = Field(min_length=2)
    not_holds: Examples = Field(min_length=2)


class PredicateFile(Model):
    """`predicates.yaml`."""

    predicates: tuple[PredicateEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((one.id for one in self.predicates), "predicates")
        return self


class VocabularyFile(Model):
    """`words.yaml`: what the patterns of a language share.

    Attributes:
        fragments: Pieces of patterns; of several lines, each is an alternative.
        stems: Korean stems without -다, blanks between them; `_` stands for a blank within one.
    """

    fragments: dict[str, Patterns] = Field(default_factory=dict)
    stems: dict[str, Words] = Field(default_factory=dict)
