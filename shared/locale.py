"""The languages and registers CBot speaks, and text that exists in each."""

from enum import StrEnum
from typing import assert_never

from shared.model import Model


class Locale(StrEnum):
    """Language of a conversation."""

    KO = "ko"
    """Korean, the default."""
    EN = "en"


class Register(StrEnum):
    """How a Korean conversation addresses the user; English has no such choice."""

    FORMAL = "존댓말"
    """Polite speech, the default."""
    CASUAL = "반말"
    """Familiar speech, when the user asked for it."""


class Localized(Model):
    """One text in every language."""

    ko: str
    en: str

    def at(self, locale: Locale) -> str:
        """Return the text in `locale`."""
        match locale:
            case Locale.KO:
                return self.ko
            case Locale.EN:
                return self.en
            case _:
                assert_never(locale)
