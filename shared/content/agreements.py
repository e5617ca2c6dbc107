"""The shipped agreements, divided into passages; a text is read and divided when it is first asked for."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from shared.content.loader import load_yaml
from shared.content.schemas.agreements import AgreementFile, AgreementWordFile
from shared.content.schemas.consents import FIELDS, KEPT, Operator
from shared.content.schemas.voice import placeholders
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.parsing import parse
from shared.domain.agreement.vocabulary import Vocabulary
from shared.domain.errors import ContentError
from shared.locale import Locale

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
        """The version of the counselling agreement."""
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
