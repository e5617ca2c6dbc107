"""`agreement_messages.yaml`: what code says about agreements."""

from enum import StrEnum
from typing import Self

from pydantic import model_validator

from shared.content.schemas.voice import Voiced, placeholders
from shared.locale import Locale, Register
from shared.model import Model

_LONGEST_TITLE = 40


class Saying(StrEnum):
    """The fixed sentences."""

    HELLO = "hello"
    THANKS = "thanks"
    DIRECT = "direct"
    OUT_OF_SCOPE = "out_of_scope"
    UNKNOWN = "unknown"
    UNKNOWN_OF_SERVICE = "unknown_of_service"
    PART_UNKNOWN = "part_unknown"
    NO_DOCUMENT = "no_document"
    NO_ADVICE = "no_advice"
    NO_FORM = "no_form"
    NO_PROMPT = "no_prompt"
    FROM_SERVICE = "from_service"
    NOW_ASKING = "now_asking"
    OFFER_OWN = "offer_own"


class DocumentName(StrEnum):
    """How a document is called."""

    SERVICE = "service"
    OWN = "own"
    UNNAMED = "unnamed"


class AgreementMessageFile(Model):
    """All sentences; `{document}` is what the document is called.

    Attributes:
        names: Of the shipped agreement, of an upload by `{title}`, and of one whose title cannot be said.
        quoted: Introduces a passage that is quoted without a model: `{source}`, `{text}`.
        outline: Introduces the list of articles: `{title}`, `{text}`.
    """

    names: dict[DocumentName, Voiced]
    texts: dict[Saying, Voiced]
    quoted: Voiced
    outline: Voiced

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if missing := set(Saying) - set(self.texts):
            raise ValueError(f"texts.{min(missing)} is missing")
        if any(placeholders(text) - {"document"} for voiced in self.texts.values() for text in voiced.all):
            raise ValueError("texts: their one placeholder is {document}")
        templates = (("quoted", self.quoted, {"source", "text"}), ("outline", self.outline, {"title", "text"}))
        for name, voiced, fields in templates:
            if any(placeholders(text) != fields for text in voiced.all):
                raise ValueError(f"{name}: its placeholders are {sorted(fields)}")
        return self


class AgreementMessages:
    """The sentences of one conversation's language and register, about the shipped agreement or another document."""

    def __init__(self, file: AgreementMessageFile, locale: Locale, register: Register, document: str = "") -> None:
        self._file = file
        self._voice = (locale, register)
        self._document = document or self._name(DocumentName.SERVICE)

    def about(self, title: str, *, sayable: bool) -> "AgreementMessages":
        """Return the sentences about an upload; its title is left out if it is long or must not be said."""
        named = sayable and 0 < len(title) <= _LONGEST_TITLE
        name = self._name(DocumentName.OWN).format(title=title) if named else self._name(DocumentName.UNNAMED)
        return AgreementMessages(self._file, *self._voice, name)

    def text(self, saying: Saying) -> str:
        return self._file.texts[saying].at(*self._voice).format(document=self._document)

    def _name(self, name: DocumentName) -> str:
        return self._file.names[name].at(*self._voice)

    def quoted(self, source: str, text: str) -> str:
        """Return a passage's own words with their source."""
        return self._file.quoted.at(*self._voice).format(source=source, text=text)

    def outline(self, title: str, text: str) -> str:
        """Return the list of a document's articles."""
        return self._file.outline.at(*self._voice).format(title=title, text=text)
