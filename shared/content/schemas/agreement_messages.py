"""`agreement_messages.yaml`: what code says about agreements."""

from enum import StrEnum
from typing import Self

from pydantic import model_validator

from shared.content.schemas.voice import Voiced, placeholders
from shared.locale import Locale, Register
from shared.model import Model


class Saying(StrEnum):
    """The fixed sentences."""

    HELLO = "hello"
    THANKS = "thanks"
    DIRECT = "direct"
    OUT_OF_SCOPE = "out_of_scope"
    UNKNOWN = "unknown"
    PART_UNKNOWN = "part_unknown"
    NO_DOCUMENT = "no_document"
    NO_ADVICE = "no_advice"


class AgreementMessageFile(Model):
    """All sentences.

    Attributes:
        quoted: Introduces a passage that is quoted without a model: `{source}`, `{text}`.
        outline: Introduces the list of articles: `{title}`, `{text}`.
    """

    texts: dict[Saying, Voiced]
    quoted: Voiced
    outline: Voiced

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if missing := set(Saying) - set(self.texts):
            raise ValueError(f"texts.{min(missing)} is missing")
        templates = (("quoted", self.quoted, {"source", "text"}), ("outline", self.outline, {"title", "text"}))
        for name, voiced, fields in templates:
            if any(placeholders(text) != fields for text in voiced.all):
                raise ValueError(f"{name}: its placeholders are {sorted(fields)}")
        return self


class AgreementMessages:
    """The sentences of one conversation's language and register."""

    def __init__(self, file: AgreementMessageFile, locale: Locale, register: Register) -> None:
        self._file = file
        self._voice = (locale, register)

    def text(self, saying: Saying) -> str:
        return self._file.texts[saying].at(*self._voice)

    def quoted(self, source: str, text: str) -> str:
        """Return a passage's own words with their source."""
        return self._file.quoted.at(*self._voice).format(source=source, text=text)

    def outline(self, title: str, text: str) -> str:
        """Return the list of a document's articles."""
        return self._file.outline.at(*self._voice).format(title=title, text=text)
