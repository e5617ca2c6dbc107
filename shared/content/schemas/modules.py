"""`modules.yaml`: the counselling techniques."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pydantic import Field, field_validator, model_validator

from shared.content.schemas.unique import unique
from shared.content.schemas.voice import LocalizedLines, VoicedVariants
from shared.domain.counseling.module import Module
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskKind
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import ModuleId
from shared.locale import Locale, Localized, Register
from shared.model import Model

Place: TypeAlias = SessionType | Literal["all_sessions"]
EXAMPLES = 2
"""Example sentences of a module in each voice."""


class ModuleEntry(Model):
    """One technique in both languages; the fields are those of `Module`.

    Attributes:
        applicable_to: Parts by session type; `all_sessions` stands for the types that are not named.
    """

    id: ModuleId
    name: Localized
    description: Localized
    when: Localized
    when_not: Localized
    guidelines: LocalizedLines
    summary: LocalizedLines
    examples: VoicedVariants
    sources: tuple[str, ...] = Field(min_length=1)
    applicable_to: Mapping[Place, tuple[Part, ...]] = Field(min_length=1)
    answers: tuple[StateSignal, ...] = ()
    suits: tuple[TaskKind, ...] = ()

    @field_validator("summary")
    @classmethod
    def _fits_the_prompt(cls, lines: LocalizedLines) -> LocalizedLines:
        if not all(3 <= len(one) <= 5 for one in (lines.ko, lines.en)):
            raise ValueError("a summary has three to five lines in each language")
        return lines

    @field_validator("examples")
    @classmethod
    def _are_replies(cls, examples: VoicedVariants) -> VoicedVariants:
        for voice in (examples.ko, examples.ko_casual, examples.en):
            if len(voice) != EXAMPLES:
                raise ValueError(f"{EXAMPLES} examples in 존댓말, in 반말 and in English")
            if many := [line for line in voice if line.count("?") > 1]:
                raise ValueError(f"an example asks more than one question: {many[0]!r}")
        return examples

    def at(self, locale: Locale) -> Module:
        return Module(
            id=self.id,
            name=self.name.at(locale),
            description=self.description.at(locale),
            when=self.when.at(locale),
            when_not=self.when_not.at(locale),
            guidelines=self.guidelines.at(locale),
            summary=self.summary.at(locale),
            examples={register: self.examples.at(locale, register) for register in Register},
            sources=self.sources,
            applicable_to=self._places(),
            answers=self.answers,
            suits=self.suits,
        )

    def _places(self) -> dict[SessionType, tuple[Part, ...]]:
        elsewhere = self.applicable_to.get("all_sessions", ())
        return {one: self.applicable_to.get(one, elsewhere) for one in SessionType}


class ModuleFile(Model):
    modules: tuple[ModuleEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "ModuleFile":
        unique((module.id for module in self.modules), "module ids")
        return self
