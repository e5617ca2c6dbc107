"""Personas: sixteen conversation styles, never shown to the user as a diagnosis."""

from typing import Any

from pydantic import Field, model_validator

from shared.domain.counseling.level import LevelSource
from shared.domain.ids import ModuleId
from shared.locale import Locale
from shared.model import Model


class PersonaType(Model):
    """One of the sixteen types.

    Attributes:
        how_to_talk_ko: How to talk with somebody of this style, two or three lines.
        modules: Techniques that suit the style; they go first among those that fit equally.
        origin: Source of the type.
    """

    type: str = Field(pattern=r"^Type_[A-P]$")
    name_ko: str
    name_en: str
    description_ko: str
    description_en: str
    how_to_talk_ko: tuple[str, ...] = Field(min_length=2, max_length=3)
    how_to_talk_en: tuple[str, ...] = Field(min_length=2, max_length=3)
    modules: tuple[ModuleId, ...] = Field(min_length=1)
    type_specific_keywords: tuple[str, str, str, str]
    schema_frame: str = ""
    ipc_octant: str = ""
    origin: str = ""

    def name(self, locale: Locale) -> str:
        return self.name_en if locale is Locale.EN else self.name_ko

    def description(self, locale: Locale) -> str:
        """Return a short description of the style in a language."""
        return self.description_en if locale is Locale.EN else self.description_ko

    def how_to_talk(self, locale: Locale) -> tuple[str, ...]:
        """Return how to talk with somebody of this style, in a language."""
        return self.how_to_talk_en if locale is Locale.EN else self.how_to_talk_ko


class PersonaCatalogue(Model):
    """All types and the keywords they share."""

    common_keywords: tuple[str, str, str, str]
    types: tuple[PersonaType, ...] = Field(min_length=16, max_length=16)

    def find(self, type_id: str) -> PersonaType | None:
        return next((persona for persona in self.types if persona.type == type_id), None)


class UserPersona(Model):
    """A user's persona in a session; fixed once Part 2 starts.

    Attributes:
        type: None until given or inferred with enough confidence.
        keywords: Up to eight, the type's own first; always made of the two lists before it.
        counseling_level: 1 (rapport, naming the problem) to 5 (solving, maintaining).
        level_source: Where the level comes from; only a default one is derived from Part 1.
    """

    type: str | None = None
    type_specific_keywords: tuple[str, ...] = ()
    common_keywords: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    counseling_level: int = Field(default=1, ge=1, le=5)
    level_source: LevelSource = LevelSource.DEFAULT

    @model_validator(mode="before")
    @classmethod
    def _gather_keywords(cls, data: Any) -> Any:
        """Derive `keywords`; documents from before the field lack it."""
        if not isinstance(data, dict):
            return data
        own, common = data.get("type_specific_keywords", ()), data.get("common_keywords", ())
        return {**data, "keywords": (*own, *common)}


def persona_of(
    catalogue: PersonaCatalogue, type_id: str | None, level: int = 1, source: LevelSource = LevelSource.DEFAULT
) -> UserPersona:
    """Build a user's persona; an unknown or missing type leaves the common keywords."""
    found = catalogue.find(type_id) if type_id else None
    return UserPersona(
        type=found.type if found else None,
        type_specific_keywords=found.type_specific_keywords if found else (),
        common_keywords=catalogue.common_keywords,
        counseling_level=level,
        level_source=source,
    )
