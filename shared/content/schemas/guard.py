"""`guard_rules.yaml`: what a reply must not say, and how a reply that was cut ends."""

from typing import Self

from pydantic import Field, model_validator

from shared.content.schemas.voice import VoicedVariants
from shared.domain.model import Model
from shared.domain.safety.guard import LOOK_BACK
from shared.domain.safety.guard_rules import Category, Excuse, When

EXAMPLES = 8
"""Positive and negative examples that a rule has at least."""


class Hit(Model):
    """What is looked for.

    Attributes:
        starts: Plain words that it begins with.
        then: Patterns of how it goes on; an empty one where the words alone are enough.
    """

    starts: tuple[str, ...] = Field(min_length=1)
    then: tuple[str, ...] = Field(min_length=1)


class GuardRuleDefinition(Model):
    """One rule as written.

    Attributes:
        at_end: The starts are last words of a sentence: with a letter behind one there is no hit.
        reach: Letters that a hit spans at most.
        positives: Replies that this rule cuts, in the situation that `when` names.
        negatives: Replies that no rule cuts.
    """

    id: str = Field(pattern=r"^[a-z-]+$")
    category: Category
    when: When = When.ALWAYS
    excuses: frozenset[Excuse] = frozenset({Excuse.QUOTED})
    at_end: bool = False
    reach: int = Field(ge=2, le=LOOK_BACK)
    hits: tuple[Hit, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=EXAMPLES)
    negatives: tuple[str, ...] = Field(min_length=EXAMPLES)


class Endings(Model):
    """Safe endings by what was cut; `plain` where there is nothing to explain, `contact` for numbers and links."""

    means: VoicedVariants
    diagnosis: VoicedVariants
    medication: VoicedVariants
    human: VoicedVariants
    secrecy: VoicedVariants
    cure: VoicedVariants
    blame: VoicedVariants
    ending: VoicedVariants
    contract: VoicedVariants
    discouraging: VoicedVariants
    memory: VoicedVariants
    contact: VoicedVariants
    plain: VoicedVariants

    def of(self, category: Category) -> VoicedVariants:
        """Return the endings for a category."""
        if category in (Category.NUMBER, Category.LINK):
            return self.contact
        found = getattr(self, category.value, self.plain)
        return found if isinstance(found, VoicedVariants) else self.plain


class GuardFile(Model):
    """The file."""

    fragments: dict[str, str]
    rules: tuple[GuardRuleDefinition, ...] = Field(min_length=1)
    endings: Endings

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [rule.id for rule in self.rules]
        if twice := {rule_id for rule_id in ids if ids.count(rule_id) > 1}:
            raise ValueError(f"rule ids used twice: {sorted(twice)}")
        return self
