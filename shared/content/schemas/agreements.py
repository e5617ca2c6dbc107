"""`agreements.yaml`: the agreements that are shipped; `agreement_words.yaml`: the vocabulary of their search."""

from collections.abc import Mapping

from pydantic import Field, model_validator

from shared.domain.agreement.tokens import normalised
from shared.domain.agreement.vocabulary import Vocabulary
from shared.locale import Localized
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
