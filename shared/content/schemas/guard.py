"""`guard_rules.yaml`: what a reply must not say, and how a reply that was cut ends."""

from typing import Self, assert_never

from pydantic import Field, model_validator

from shared.content.schemas.unique import unique
from shared.content.schemas.voice import VoicedVariants
from shared.model import Model
from shared.safety.output_guard.guard import LOOK_BACK
from shared.safety.output_guard.rules import Category, Excuse, When

EXAMPLES = 8
"""Positive and negative examples that a rule has at least."""


USUAL = ("told", "reflected", "denied")
"""Surroundings that make most hits harmless: every rule looks for them that does not say otherwise."""


class Wording(Model):
    """What is looked for.

    Attributes:
        starts: Plain words that it begins with; `<name>` in one stands for each word of a list.
        then: Patterns of how it goes on, in the pattern language; none where the words alone are enough.
        joined: It may begin within a word.
    """

    starts: tuple[str, ...] = Field(min_length=1)
    then: tuple[str, ...] = ()
    joined: bool = False


class Around(Model):
    """What makes a hit harmless by standing right before or right behind it."""

    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()


class GuardRuleDefinition(Model):
    """One rule as written.

    Attributes:
        reach: Letters that a hit spans at most.
        unless: Names of surroundings.
        said_in: Names of surroundings outside of which the user's having said it is no excuse.
    """

    id: str = Field(pattern=r"^[a-z-]+$")
    category: Category
    when: When = When.ALWAYS
    excuses: frozenset[Excuse] = frozenset({Excuse.QUOTED})
    unless: tuple[str, ...] = USUAL
    said_in: tuple[str, ...] = ()
    reach: int = Field(ge=2, le=LOOK_BACK)
    hits: tuple[Wording, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()


class ExampledRule(GuardRuleDefinition):
    """One rule with its examples.

    Attributes:
        positives: Replies that this rule cuts, in the situation that `when` names.
        negatives: Replies that no rule cuts.
    """

    positives: tuple[str, ...] = Field(min_length=EXAMPLES)
    negatives: tuple[str, ...] = Field(min_length=EXAMPLES)


class Endings(Model):
    """Safe endings by what was cut; `plain` where there is nothing to explain, `contact` for numbers and links.

    Attributes:
        means_of_others: For a hit of `means` where somebody else is in danger, or has died.
    """

    means: VoicedVariants
    means_of_others: VoicedVariants
    encouraging: VoicedVariants
    acted: VoicedVariants
    diagnosis: VoicedVariants
    medication: VoicedVariants
    human: VoicedVariants
    secrecy: VoicedVariants
    cure: VoicedVariants
    blame: VoicedVariants
    ending: VoicedVariants
    contract: VoicedVariants
    discouraging: VoicedVariants
    intimate: VoicedVariants
    memory: VoicedVariants
    contact: VoicedVariants
    plain: VoicedVariants

    def of(self, category: Category) -> VoicedVariants:  # noqa: C901, PLR0911, PLR0912 -- a case for each category
        """Return the endings for a category."""
        match category:
            case Category.MEANS:
                return self.means
            case Category.ENCOURAGING:
                return self.encouraging
            case Category.ACTED:
                return self.acted
            case Category.DIAGNOSIS:
                return self.diagnosis
            case Category.MEDICATION:
                return self.medication
            case Category.HUMAN:
                return self.human
            case Category.SECRECY:
                return self.secrecy
            case Category.CURE:
                return self.cure
            case Category.BLAME:
                return self.blame
            case Category.ENDING:
                return self.ending
            case Category.CONTRACT:
                return self.contract
            case Category.DISCOURAGING:
                return self.discouraging
            case Category.INTIMATE:
                return self.intimate
            case Category.MEMORY:
                return self.memory
            case Category.NUMBER | Category.LINK:
                return self.contact
            case Category.INTERNAL | Category.REGISTER | Category.REPEATED:
                return self.plain
            case _:
                assert_never(category)


class GuardContent(Model):
    """The file without its examples.

    Attributes:
        words: Lists that starts name.
        fragments: Pieces that patterns name.
        surroundings: What makes a hit harmless, by name.
        of_others: Patterns of a message that tells of somebody else who is in danger or has died.
    """

    words: dict[str, tuple[str, ...]]
    fragments: dict[str, str]
    surroundings: dict[str, Around]
    of_others: tuple[str, ...]
    rules: tuple[GuardRuleDefinition, ...] = Field(min_length=1)
    endings: Endings

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((rule.id for rule in self.rules), "rule ids")
        return self


class GuardFile(GuardContent):
    """The file."""

    rules: tuple[ExampledRule, ...] = Field(min_length=1)


class KeptGuard(Model):
    """What is kept of the file, `guard_rules.json`.

    Attributes:
        file: The digest of the file.
    """

    file: str
    content: GuardContent
