"""`shared/safety/rules/<locale>/*.yaml`: the format of rules, predicates and vocabulary.

Patterns, examples and triggers are plain text without quotes: one pattern or example per line, spaces between triggers.
"""

from typing import Annotated, Self, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from shared.content.schemas.unique import unique
from shared.model import Model
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family
from shared.safety.predicates import Makes

LONGEST_PATTERN = 120
"""Maximum characters of one line of a pattern, for readability."""


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
        outcome: The outcome of a match; `sign` for a sign.
        ground: A C-SSRS item, or the source that names these words.
        triggers: Literal stems; only messages with one of them are examined.
        pattern: What is found, see shared/safety/patterns.py.
        not_if: Names of predicates that lower a finding.
        found: Messages in which this rule finds the outcome.
        not_found: Messages in which it does not.
        kind: The kind of a sign or of abuse.
        weight: The weight of a sign, 1 to 3.
        wish: It finds no more than a wish to be dead (C-SSRS 1) or despair: no intent, plan, means, act or self-harm.
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
    wish: bool = False


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
    """One form of a predicate: a pattern right before the matched words, one right after them, or both.

    Attributes:
        words: What the matched words must begin with; `(?!내가)` for what they must not.
        unless: What their sentence must not contain: "again" next to "years ago".
        previous: What the sentence before must contain: the person of whom the words are reported.
        within: What their own sentence must contain.
        following: What the sentence after must contain: the errand that the words are about.
    """

    before: Line = ""
    behind: Line = ""
    words: Line = ""
    unless: Line = ""
    previous: Line = ""
    within: Line = ""
    following: Line = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not any((self.before, self.behind, self.words, self.previous, self.within, self.following)):
            raise ValueError("nothing that must be there")
        return self


class PredicateEntry(Model):
    """One predicate as written.

    Attributes:
        makes: The effect on a finding for which it holds.
        any_of: Its forms.
        holds: Sentences for which it holds, with the matched words in square brackets.
        not_holds: Sentences for which it does not hold.
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
    """`words.yaml`: the shared vocabulary of a language's patterns.

    Attributes:
        fragments: Pieces of patterns; several lines are alternatives.
        stems: Korean stems without -다, spaces between them; `_` stands for a space within one.
    """

    fragments: dict[str, Patterns] = Field(default_factory=dict)
    stems: dict[str, Words] = Field(default_factory=dict)
