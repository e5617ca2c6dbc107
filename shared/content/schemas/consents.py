"""`consents.yaml`: what a person agrees to, in the words that they are shown, with the version of each text."""

from pydantic import Field, model_validator

from shared.content.schemas.voice import placeholders
from shared.domain.conversation import RETENTION
from shared.domain.records import AUDIT_RETENTION
from shared.locale import Locale, Localized
from shared.model import Model

KEPT = {"kept_days": RETENTION.days, "audit_days": AUDIT_RETENTION.days}
"""What the texts are filled with, so that they cannot promise another retention than the code keeps."""
FIELDS = {*KEPT, "operator", "contact"}


class Operator(Model):
    """The operator of the service, who is responsible for the data.

    Attributes:
        contact: Where to ask, complain, or say no: an address or a number of the privacy officer.
    """

    name: str = Field(min_length=1)
    contact: str = Field(min_length=1)


class NoOperator(Model):
    """What the texts say while no operator is configured."""

    name: Localized
    contact: Localized


class ConsentText(Model):
    """One consent.

    Attributes:
        version: The day that the text is from, as ISO 8601 writes it.
        required: Nothing is processed without it.
    """

    id: str
    version: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    required: bool
    title: Localized
    text: Localized

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> "ConsentText":
        for template in (self.text.ko, self.text.en):
            if unknown := placeholders(template) - FIELDS:
                raise ValueError(f"{self.id}: unknown placeholder {{{min(unknown)}}}; there are {sorted(FIELDS)}")
        return self

    def words(self, locale: Locale, operator: Operator) -> str:
        """Return the text as it is shown."""
        return self.text.at(locale).format(**KEPT, operator=operator.name, contact=operator.contact)


class ConsentFile(Model):
    """All consents.

    Attributes:
        no_operator: Stands where an operator is named, until one is.
        withdrawn: What a user who withdrew one is told.
    """

    consents: tuple[ConsentText, ...] = Field(min_length=1)
    no_operator: NoOperator
    withdrawn: Localized

    @model_validator(mode="after")
    def _names_each_once(self) -> "ConsentFile":
        names = [consent.id for consent in self.consents]
        if len({*names}) != len(names):
            raise ValueError("a consent stands here twice")
        return self

    def operator(self, locale: Locale, known: Operator | None) -> Operator:
        """Return whom the texts name."""
        return known or Operator(name=self.no_operator.name.at(locale), contact=self.no_operator.contact.at(locale))

    @property
    def versions(self) -> dict[str, str]:
        """The version of each text, by the consent's id."""
        return {consent.id: consent.version for consent in self.consents}

    @property
    def required(self) -> dict[str, str]:
        """The versions of those without which nothing is processed."""
        return {consent.id: consent.version for consent in self.consents if consent.required}
