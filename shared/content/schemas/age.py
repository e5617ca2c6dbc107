"""`age_rules.yaml`: how users state their own age, with the tests of every rule beside it."""

from typing import Self

from pydantic import Field, model_validator

from shared.content.schemas.crisis import TestedPhrases, Variants, Voiced
from shared.content.schemas.unique import unique
from shared.model import Model
from shared.safety.ages import StatedAge


class AgeRule(Model):
    """One rule as written.

    Attributes:
        positives: Messages whose writer states this age.
        negatives: Messages in which this rule finds nothing.
    """

    id: str = Field(pattern=r"^(ko|en)-[a-z-]+$")
    age: StatedAge
    patterns: tuple[str, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)


class AgeFile(Model):
    """The file.

    Attributes:
        exclusions: What takes a hit of any rule back.
        of_another: What tells that a message is about somebody else of such an age; its ages count only with `of_self`.
        of_self: An age that is the writer's in so many words.
        replies: To somebody under 14, while nothing is being followed through.
        behind: To somebody under 14, behind what a crisis calls for.
    """

    fragments: dict[str, str]
    rules: tuple[AgeRule, ...] = Field(min_length=1)
    exclusions: tuple[str, ...]
    of_another: TestedPhrases
    of_self: TestedPhrases
    replies: Variants
    behind: Voiced

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((rule.id for rule in self.rules), "rule ids")
        return self
