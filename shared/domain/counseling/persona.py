"""Personas: sixteen conversation styles, never shown to the user as a diagnosis."""

from pydantic import Field

from shared.locale import Locale
from shared.model import Model


class PersonaType(Model):
    """One of the sixteen types.

    Attributes:
        origin: Source of the type.
    """

    type: str = Field(pattern=r"^Type_[A-P]$")
    name_ko: str
    name_en: str
    description_ko: str
    description_en: str
    type_specific_keywords: tuple[str, str, str, str]
    schema_frame: str = ""
    ipc_octant: str = ""
    origin: str = ""

    def name(self, locale: Locale) -> str:
        return self.name_en if locale is Locale.EN else self.name_ko

    def description(self, locale: Locale) -> str:
        """Return a short description of the style in a language."""
        return self.description_en if locale is Locale.EN else self.description_ko


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
        counseling_level: 1 (rapport, naming the problem) to 5 (solving, maintaining).
    """

    type: str | None = None
    type_specific_keywords: tuple[str, ...] = ()
    common_keywords: tuple[str, ...] = ()
    counseling_level: int = Field(default=1, ge=1, le=5)

    @property
    def keywords(self) -> tuple[str, ...]:
        """Up to eight keywords, the type's own first."""
        return self.type_specific_keywords + self.common_keywords


def persona_of(catalogue: PersonaCatalogue, type_id: str | None, level: int = 1) -> UserPersona:
    """Build a user's persona; an unknown or missing type leaves the common keywords."""
    found = catalogue.find(type_id) if type_id else None
    return UserPersona(
        type=found.type if found else None,
        type_specific_keywords=found.type_specific_keywords if found else (),
        common_keywords=catalogue.common_keywords,
        counseling_level=level,
    )
