"""The shipped agreements, divided into passages; a text is read and divided when it is first asked for."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pydantic import Field, model_validator

from shared.content.loader import load_yaml
from shared.content.schemas.consents import FIELDS, KEPT, Operator
from shared.content.schemas.voice import placeholders
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.parsing import parse
from shared.domain.agreement.tokens import normalised
from shared.domain.agreement.vocabulary import Vocabulary
from shared.domain.errors import ContentError
from shared.locale import Locale, Localized
from shared.model import Model

VERSION = r"^\d{4}-\d{2}-\d{2}$"


class ServiceAgreement(Model):
    """The counselling agreement of the service.

    Attributes:
        version: The date of the text, ISO 8601.
        consents: The versions of the consents that it was compared with, by id.
    """

    version: str = Field(pattern=VERSION)
    title: Localized
    consents: Mapping[str, str]


class StandardForm(Model):
    """A form that a user's contract is compared with."""

    id: str = Field(pattern=r"^[a-z][a-z_]{0,31}$")
    version: str = Field(pattern=VERSION)
    title: str = Field(min_length=1)


class AgreementFile(Model):
    """All shipped agreements."""

    service: ServiceAgreement
    standards: tuple[StandardForm, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "AgreementFile":
        ids = [form.id for form in self.standards]
        if len({*ids, "service"}) != len(ids) + 1:
            raise ValueError("a standard form stands here twice, or is called service")
        return self


class Concept(Model):
    """Words of agreements, with the everyday words for the same."""

    legal: tuple[str, ...] = Field(min_length=1)
    everyday: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_written_as_it_is_compared(self) -> "Concept":
        for word in self.everyday:
            if not word or normalised(word) != word:
                raise ValueError(f"{word!r}: write it in lower case")
        return self


class AgreementWordFile(Model):
    """The vocabulary of the search."""

    concepts: tuple[Concept, ...] = Field(min_length=1)

    def vocabulary(self) -> Vocabulary:
        words: dict[str, tuple[str, ...]] = {}
        for concept in self.concepts:
            for word in concept.everyday:
                words[word] = tuple(dict.fromkeys(words.get(word, ()) + concept.legal))
        return Vocabulary(words=words)


SERVICE = "service"
"""The id of the counselling agreement of the service."""


class Agreements:
    """The counselling agreement, the standard forms and the vocabulary of their search.

    Args:
        data: The folder of the content.
        consents: The current versions of the consents, by id.
    """

    def __init__(self, data: Path, consents: Mapping[str, str]) -> None:
        self._data = data
        self._consents = consents
        self._service: dict[tuple[Locale, Operator], AgreementDocument] = {}

    @property
    def version(self) -> str:
        return self._file.service.version

    def service(self, locale: Locale, operator: Operator) -> AgreementDocument:
        """Return the counselling agreement as it is shown for an operator."""
        key = (locale, operator)
        if key not in self._service:
            written = self._file.service
            text = self._text(SERVICE, locale)
            values = {**KEPT, "operator": operator.name, "contact": operator.contact, "version": written.version}
            self._service[key] = parse(
                text.format(**values),
                id=SERVICE,
                version=written.version,
                title=written.title.at(locale),
                locale=locale,
            )
        return self._service[key]

    @cached_property
    def standards(self) -> dict[str, AgreementDocument]:
        """The standard forms by id."""
        return {
            form.id: parse(
                self._text(form.id, Locale.KO), id=form.id, version=form.version, title=form.title, locale=Locale.KO
            )
            for form in self._file.standards
        }

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Everyday words, with the words that agreements use for the same."""
        return load_yaml(self._data / "agreement_words.yaml", AgreementWordFile).vocabulary()

    @cached_property
    def _file(self) -> AgreementFile:
        path = self._data / "agreements.yaml"
        read = load_yaml(path, AgreementFile)
        if dict(read.service.consents) != dict(self._consents):
            raise ContentError(
                path.name, None, f"service.consents: the consents are {dict(self._consents)}; compare the agreement"
            )
        return read

    def _text(self, name: str, locale: Locale) -> str:
        path = self._data / "agreements" / f"{name}.{locale.value}.md"
        if not path.is_file():
            raise ContentError(path.name, None, "this text of an agreement is missing")
        text = path.read_text(encoding="utf-8")
        allowed = {*FIELDS, "version"} if name == SERVICE else set()
        if unknown := placeholders(text) - allowed:
            raise ContentError(path.name, None, f"unknown placeholder {{{min(unknown)}}}")
        return text
