"""`crisis_protocol.yaml`: the fixed replies of the crisis protocol and what the user answers."""

from typing import Self

from pydantic import Field, model_validator

from shared.domain.model import Model
from shared.domain.safety.needs import Need

RESOURCE_SLOT = "{resources}"


class Resource(Model):
    """Somebody to turn to, in the user's language."""

    name: str
    number: str
    hours: str


class ResourceEntry(Resource):
    """A resource as written, in the order in which it is shown.

    Attributes:
        needs: For what it is shown.
    """

    needs: tuple[Need, ...] = Field(min_length=1)


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
    abuse: Variants
    abuse_now: Variants


class Acknowledgment(Voiced):
    """What is said first when the message names something that weighs; fixed words, nothing is repeated."""

    patterns: tuple[str, ...] = Field(min_length=1)


class Phrases(Model):
    """Patterns of something that the user says."""

    patterns: tuple[str, ...]
    exclusions: tuple[str, ...]


class CrisisProtocol(Model):
    """The file.

    Attributes:
        block: Opens the resources that code appends.
        care: What is said in the follow-through when no model can speak.
        leave: Asked there when the user wants to stop.
        farewell: Said to who leaves there.
    """

    resources: ResourceLists
    line: Voiced
    block: Voiced
    replies: Replies
    acknowledgments: tuple[Acknowledgment, ...]
    for_minors: Variants
    for_hurt_minors: Variants
    care: Variants
    leave: Variants
    farewell: Voiced
    safe: Phrases
    asks_resources: Phrases
    fragments: dict[str, str]

    @model_validator(mode="after")
    def _every_text_shows_the_resources(self) -> Self:
        named = {outcome: getattr(self.replies, outcome) for outcome in Replies.model_fields} | {"leave": self.leave}
        for name, variants in named.items():
            for text in (*variants.ko, *variants.ko_casual, *variants.en):
                if text.count(RESOURCE_SLOT) != 1:
                    raise ValueError(f"a reply of {name} lacks {RESOURCE_SLOT}: {text[:20]}…")
        return self
