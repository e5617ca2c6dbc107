"""`modules.yaml`: the counselling techniques."""

from pydantic import Field, field_validator, model_validator

from shared.content.schemas.unique import unique
from shared.content.schemas.voice import LocalizedLines
from shared.domain.counseling.module import Module
from shared.domain.counseling.task import TaskKind
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.locale import Locale, Localized
from shared.model import Model


class ModuleEntry(Model):
    """One technique in both languages; the fields are those of `Module`."""

    id: ModuleId
    name: Localized
    description: Localized
    guidelines: LocalizedLines
    summary: LocalizedLines
    applicable_to: tuple[str, ...] = Field(min_length=1)
    answers: tuple[StateSignal, ...] = ()
    suits: tuple[TaskKind, ...] = ()

    @field_validator("summary")
    @classmethod
    def _fits_the_prompt(cls, lines: LocalizedLines) -> LocalizedLines:
        if not all(3 <= len(one) <= 5 for one in (lines.ko, lines.en)):
            raise ValueError("a summary has three to five lines in each language")
        return lines

    def at(self, locale: Locale) -> Module:
        return Module(
            id=self.id,
            name=self.name.at(locale),
            description=self.description.at(locale),
            guidelines=self.guidelines.at(locale),
            summary=self.summary.at(locale),
            applicable_to=self.applicable_to,
            answers=self.answers,
            suits=self.suits,
        )


class ModuleFile(Model):
    modules: tuple[ModuleEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "ModuleFile":
        unique((module.id for module in self.modules), "module ids")
        return self
