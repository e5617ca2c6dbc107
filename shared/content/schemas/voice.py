"""Text that exists in both languages and, in Korean, in both registers."""

from string import Formatter
from typing import Annotated, Self, assert_never

from pydantic import AfterValidator, Field, model_validator

from shared.locale import Locale, Register
from shared.model import Model

_CLOSED = (".", "!", "?", "…", "~", ")", "”", '"', ":")
"""Endings of a complete wording; in a YAML list, an unquoted comma splits one in two."""


def _whole(text: str) -> str:
    if not text.endswith(_CLOSED):
        raise ValueError(f"a wording that does not end like a sentence: {text!r}")
    return text


Wording = Annotated[str, AfterValidator(_whole)]


class LocalizedLines(Model):
    """Lines for a model or for people, in both languages."""

    ko: tuple[str, ...] = Field(min_length=1)
    en: tuple[str, ...] = Field(min_length=1)

    def at(self, locale: Locale) -> tuple[str, ...]:
        match locale:
            case Locale.KO:
                return self.ko
            case Locale.EN:
                return self.en
            case _:
                assert_never(locale)


class Voiced(Model):
    """A sentence to the user.

    Attributes:
        ko_casual: In 반말; None uses the polite sentence.
    """

    ko: str = Field(min_length=1)
    ko_casual: str | None = None
    en: str = Field(min_length=1)

    def at(self, locale: Locale, register: Register) -> str:
        match locale:
            case Locale.KO:
                casual = self.ko_casual if register is Register.CASUAL else None
                return casual or self.ko
            case Locale.EN:
                return self.en
            case _:
                assert_never(locale)

    @property
    def all(self) -> tuple[str, ...]:
        """Every wording, for checks."""
        return tuple(text for text in (self.ko, self.ko_casual, self.en) if text)


class VoicedVariants(Model):
    """Wordings of one sentence, so that the same is not said twice in a row; every voice has the same number."""

    ko: tuple[Wording, ...] = Field(min_length=2)
    ko_casual: tuple[Wording, ...] = ()
    en: tuple[Wording, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _as_many_in_every_voice(self) -> Self:
        counts = {len(self.ko), len(self.en), len(self.ko_casual) or len(self.ko)}
        if len(counts) > 1:
            raise ValueError(f"not as many wordings in every voice: {sorted(counts)}")
        return self

    def at(self, locale: Locale, register: Register) -> tuple[str, ...]:
        match locale:
            case Locale.KO:
                casual = self.ko_casual if register is Register.CASUAL else ()
                return casual or self.ko
            case Locale.EN:
                return self.en
            case _:
                assert_never(locale)


def placeholders(template: str) -> frozenset[str]:
    """Return the names in a `{name}` template.

    Raises:
        ValueError: A brace is not closed, or a placeholder has no plain name.
    """
    names = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"placeholder {{{name}}} has no plain name")
    return frozenset(names)
