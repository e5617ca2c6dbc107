"""`abuse_rules.yaml`: how one reads that somebody hurts the user, with the tests of every rule beside it."""

from typing import Self

from pydantic import Field, model_validator

from shared.content.schemas.crisis import Phrases
from shared.content.schemas.unique import unique
from shared.model import Model
from shared.safety.abuse import AbuseKind


class ActDefinition(Model):
    """One rule of acts as written.

    Attributes:
        grave: It endangers body or freedom.
        positives: Messages in which it is found.
        negatives: Messages in which it is not.
    """

    id: str = Field(pattern=r"^(ko|en)-[a-z-]+$")
    kind: AbuseKind
    grave: bool = True
    patterns: tuple[str, ...] = Field(min_length=1)
    exclusions: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)


class Times(Model):
    """Words that tell when."""

    past: Phrases
    present: Phrases
    now: Phrases


class Examples(Model):
    """Messages by the outcome that they must have."""

    abuse_now: tuple[str, ...]
    abuse: tuple[str, ...]
    abuse_told: tuple[str, ...]
    none: tuple[str, ...]


class AbuseFile(Model):
    """The file."""

    fragments: dict[str, str]
    acts: tuple[ActDefinition, ...] = Field(min_length=1)
    times: Times
    examples: Examples

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        unique((act.id for act in self.acts), "act ids")
        return self
