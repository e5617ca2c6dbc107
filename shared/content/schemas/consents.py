"""`consents.yaml`: what a person agrees to, in the words that they are shown, with the version of each text."""

from pydantic import Field, model_validator

from shared.content.schemas.voice import placeholders
from shared.domain.conversation import RETENTION
from shared.domain.locale import Locale, Localized
from shared.domain.model import Model
from shared.domain.records import AUDIT_RETENTION

FIELDS = {"kept_days": RETENTION.days, "audit_days": AUDIT_RETENTION.days}
"""What the texts are filled with, so that they cannot promise another retention than the code keeps."""


class ConsentText(Model):
    """One consent.

    Attributes:
        version: The day or month that the text is from, as ISO 8601 writes it: versions compare as text.
        required: Nothing is processed without it.
    """

    id: str
    version: str = Field(pattern=r"^\d{4}-\d{2}(-\d{2})?$")
    required: bool
    title: Localized
    text: Localized

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> "ConsentText":
        for template in (self.text.ko, self.text.en):
            if unknown := placeholders(template) - FIELDS.keys():
                raise ValueError(f"{self.id}: unknown placeholder {{{min(unknown)}}}; there are {sorted(FIELDS)}")
        return self

    def words(self, locale: Locale) -> str:
        """Return the text as it is shown."""
        return self.text.at(locale).format(**FIELDS)


class ConsentFile(Model):
    """All consents.

    Attributes:
        withdrawn: What somebody who withdrew one is told.
    """

    consents: tuple[ConsentText, ...] = Field(min_length=1)
    withdrawn: Localized

    @model_validator(mode="after")
    def _names_each_once(self) -> "ConsentFile":
        names = [consent.id for consent in self.consents]
        if len({*names}) != len(names):
            raise ValueError("a consent stands here twice")
        return self

    @property
    def versions(self) -> dict[str, str]:
        """The version of each text, by the consent's id."""
        return {consent.id: consent.version for consent in self.consents}

    @property
    def required(self) -> dict[str, str]:
        """The versions of those without which nothing is processed."""
        return {consent.id: consent.version for consent in self.consents if consent.required}
