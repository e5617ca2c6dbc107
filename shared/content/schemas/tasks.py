"""`tasks.yaml`: the fixed tasks of Part 1 and Part 3."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, field_validator, model_validator

from shared.content.schemas.voice import Voiced, VoicedVariants
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import CompletionRule, Part, Priority, Task, TaskKind
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import Slot, SlotKind
from shared.locale import Locale, Localized, Register
from shared.model import Model

WORDINGS = 3
"""Minimum wordings of a question, so that an unanswered one is not repeated in the same words."""


class SlotEntry(Model):
    """A slot in both languages and registers; the fields are those of `Slot`."""

    name: str
    kind: SlotKind = SlotKind.TEXT
    label: Localized
    questions: VoicedVariants
    error: Voiced
    none_is_answer: bool = True
    agrees: bool = False
    minimum: int | None = None
    maximum: int | None = None

    @field_validator("questions")
    @classmethod
    def _asks_in_different_words(cls, questions: VoicedVariants) -> VoicedVariants:
        for wordings in (questions.ko, questions.ko_casual, questions.en):
            if len(set(wordings)) < WORDINGS:
                raise ValueError(f"a slot needs {WORDINGS} different wordings in ko, ko_casual and en")
        return questions

    def at(self, locale: Locale, register: Register) -> Slot:
        return Slot(
            name=self.name,
            kind=self.kind,
            label=self.label.at(locale),
            questions=self.questions.at(locale, register),
            error=self.error.at(locale, register),
            none_is_answer=self.none_is_answer,
            agrees=self.agrees,
            minimum=self.minimum,
            maximum=self.maximum,
        )


class TaskEntry(Model):
    """A task in both languages; the fields are those of `Task`."""

    id: TaskId = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    part: Part
    kind: TaskKind
    module_id: ModuleId
    priority: Priority
    title: Localized
    description: Localized
    target: Localized
    completion_criteria: Localized
    completion_rule: CompletionRule
    restrictions: Localized | None = None
    required_slots: tuple[SlotEntry, ...] = ()
    optional_slots: tuple[SlotEntry, ...] = ()
    max_turns: int = Field(default=6, ge=1, le=14)
    min_turns: int = Field(default=2, ge=1)
    asks_back: bool = False

    @model_validator(mode="after")
    def _gate_has_slots(self) -> "TaskEntry":
        if (self.completion_rule is CompletionRule.SLOTS) != bool(self.required_slots):
            raise ValueError("rule `slots` and `required_slots` go together")
        return self

    def at(self, locale: Locale, register: Register) -> Task:
        """Return the task, pending."""
        return Task(
            id=self.id,
            part=self.part,
            kind=self.kind,
            module_id=self.module_id,
            priority=self.priority,
            title=self.title.at(locale),
            description=self.description.at(locale),
            target=self.target.at(locale),
            completion_criteria=self.completion_criteria.at(locale),
            completion_rule=self.completion_rule,
            restrictions=self.restrictions.at(locale) if self.restrictions else None,
            required_slots=tuple(slot.at(locale, register) for slot in self.required_slots),
            optional_slots=tuple(slot.at(locale, register) for slot in self.optional_slots),
            max_turns=self.max_turns,
            min_turns=self.min_turns,
            asks_back=self.asks_back,
        )


def _fit_one_session(tasks: tuple[TaskEntry, ...]) -> tuple[TaskEntry, ...]:
    ids = [task.id for task in tasks]
    slots = [slot.name for task in tasks for slot in task.required_slots + task.optional_slots]
    if len(set(ids)) != len(ids) or len(set(slots)) != len(slots):
        raise ValueError("a task id or a slot name occurs twice")
    if any(task.part is Part.EXPLORATION for task in tasks):
        raise ValueError("Part 2 is planned, not a template")
    return tasks


SessionTasks: TypeAlias = Annotated[tuple[TaskEntry, ...], Field(min_length=1), AfterValidator(_fit_one_session)]


class TaskFile(Model):
    """The tasks by type of session.

    Attributes:
        more_talk: The task of Part 2 for users who want to go on; no plan contains it.
    """

    first_session: SessionTasks
    follow_up: SessionTasks
    closing: SessionTasks
    more_talk: TaskEntry

    def of(self, session_type: SessionType) -> tuple[TaskEntry, ...]:
        return {
            SessionType.FIRST_SESSION: self.first_session,
            SessionType.FOLLOW_UP: self.follow_up,
            SessionType.CLOSING: self.closing,
        }[session_type]
