"""`crisis_protocol.yaml`: the fixed replies of the crisis protocol and what the user answers."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from shared.domain.model import Model

RESOURCE_SLOT = "{resources}"


class When(StrEnum):
    """When a resource is shown."""

    ALWAYS = "always"
    MINOR = "minor"
    """To minors only."""
    IMMINENT = "imminent"
    """When life is in danger now, the user's or another's."""


class Resource(Model):
    """Somebody to turn to, in the user's language."""

    name: str
    number: str
    hours: str


class ResourceEntry(Resource):
    """A resource as written, in the order in which it is shown."""

    when: When


class ResourceLists(Model):
    """The resources of each language."""

    ko: tuple[ResourceEntry, ...] = Field(min_length=1)
    en: tuple[ResourceEntry, ...] = Field(min_length=1)


class Voiced(Model):
    """One text in every voice."""

    ko: str
    ko_casual: str
    en: str


class Variants(Model):
    """Texts of one outcome in every voice; three at least, so that the same one never comes twice running."""

    ko: tuple[str, ...] = Field(min_length=3)
    ko_casual: tuple[str, ...] = Field(min_length=3)
    en: tuple[str, ...] = Field(min_length=3)


class Replies(Model):
    """The texts of every outcome that is answered."""

    concern: Variants
    third_party: Variants
    crisis: Variants
    harm_to_others: Variants
    imminent: Variants


class Phrases(Model):
    """Patterns of something that the user says."""

    patterns: tuple[str, ...]
    exclusions: tuple[str, ...]


class CrisisProtocol(Model):
    """The file."""

    resources: ResourceLists
    line: Voiced
    block: Voiced
    replies: Replies
    safe: Phrases
    asks_resources: Phrases
    fragments: dict[str, str]

    @model_validator(mode="after")
    def _every_text_shows_the_resources(self) -> Self:
        for outcome in Replies.model_fields:
            variants: Variants = getattr(self.replies, outcome)
            for text in (*variants.ko, *variants.ko_casual, *variants.en):
                if text.count(RESOURCE_SLOT) != 1:
                    raise ValueError(f"a reply of {outcome} lacks {RESOURCE_SLOT}: {text[:20]}…")
        return self
