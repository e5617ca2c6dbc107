"""`consents.yaml`: the consents, with the text that users see and its version."""

from pydantic import Field, model_validator

from shared.content.schemas.voice import placeholders
from shared.domain.conversation import RETENTION
from shared.domain.records import AUDIT_RETENTION
from shared.locale import Locale, Localized
from shared.model import Model

KEPT = {"kept_days": RETENTION.days, "audit_days": AUDIT_RETENTION.days}
"""Values for the texts, so that they name the retention that the code keeps."""
FIELDS = {*KEPT, "operator", "contact"}


class Operator(Model):
    """The operator of the service, who is responsible for the data.

    Attributes:
        contact: Address or number of the privacy officer, for questions, complaints and refusals.
    """

    name: str = Field(min_length=1)
    contact: str = Field(min_length=1)

    @classmethod
    def named(cls, name: str | None, contact: str | None) -> "Operator | None":
        """Return the operator; None unless both are known."""
        return None if name is None or contact is None else cls(name=name, contact=contact)


class NoOperator(Model):
    """What the texts say while no operator is configured."""

    name: Localized
    contact: Localized


class ConsentText(Model):
    """One consent.

    Attributes:
        version: The date of the text, ISO 8601.
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
        return self.text.at(locale).format(**KEPT, operator=operator.name, contact=operator.contact)


class ConsentFile(Model):
    """All consents.

    Attributes:
        no_operator: Used until an operator is configured.
        withdrawn: The text for a user who withdrew a consent.
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
        """Return the operator that the texts name."""
        return known or Operator(name=self.no_operator.name.at(locale), contact=self.no_operator.contact.at(locale))

    @property
    def versions(self) -> dict[str, str]:
        """The version of each text, by the consent's id."""
        return {consent.id: consent.version for consent in self.consents}

    @property
    def required(self) -> dict[str, str]:
        """The versions of the required consents, by id."""
        return {consent.id: consent.version for consent in self.consents if consent.required}
