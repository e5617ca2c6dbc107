"""`part2_templates.yaml`: plans of Part 2 without a model."""

from typing import assert_never

from pydantic import Field, field_validator, model_validator

from shared.content.schemas.voice import LocalizedLines, Voiced, placeholders
from shared.domain.counseling.task import Part, Priority, Task, TaskKind, signs_needed
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import SlotKind
from shared.locale import Locale, Localized, Register
from shared.model import Model


class PlanTask(Model):
    """A task pattern; `{keyword}` in its texts is replaced by a keyword."""

    kind: TaskKind
    module_id: ModuleId
    priority: Priority
    title: Localized
    description: Localized
    target: Localized
    completion_criteria: Localized
    restrictions: Localized | None = None

    @model_validator(mode="after")
    def _fills_only_keyword(self) -> "PlanTask":
        texts = (self.title, self.description, self.target, self.completion_criteria, self.restrictions)
        for text in filter(None, texts):
            if not placeholders(text.ko + text.en) <= {"keyword"}:
                raise ValueError("a plan task's texts know {keyword} only")
        return self

    def at(self, number: int, keyword: str, locale: Locale) -> Task:
        """Return the n-th task of a plan."""

        def said(text: Localized) -> str:
            return text.at(locale).format(keyword=keyword)

        return Task(
            id=TaskId(f"task_part2_{number}"),
            part=Part.EXPLORATION,
            kind=self.kind,
            module_id=self.module_id,
            priority=self.priority,
            title=said(self.title),
            description=said(self.description),
            target=said(self.target),
            completion_criteria=said(self.completion_criteria),
            restrictions=said(self.restrictions) if self.restrictions else None,
            min_turns=signs_needed(self.kind),
        )


class LevelPlan(Model):
    """Part 2 at one counselling level.

    Attributes:
        depth: How far to go; the planner's prompt uses it as well.
        goal: Pattern with `{keywords}`.
    """

    level: int = Field(ge=1, le=5)
    depth: Localized
    goal: Localized
    tasks: tuple[PlanTask, ...] = Field(min_length=3, max_length=6)

    @field_validator("goal")
    @classmethod
    def _names_the_keywords(cls, goal: Localized) -> Localized:
        if any(placeholders(text) != {"keywords"} for text in (goal.ko, goal.en)):
            raise ValueError("a goal names {keywords} and nothing else")
        return goal


class TemplatePlan(Model):
    """A plan made without a model."""

    goal: str
    depth: str
    tasks: tuple[Task, ...]


class LevelRestriction(Model):
    """A restriction for every task up to a level.

    Attributes:
        upto: The last level with this restriction.
        known_by: Words that show that a task's restrictions include it.
    """

    upto: int = Field(ge=1, le=5)
    text: Localized
    known_by: LocalizedLines


class SlotErrors(Model):
    """Texts for an invalid value, by the kind of a planned slot.

    Attributes:
        integer_range: Uses `{minimum}` and `{maximum}`.
        choice: Uses `{choices}`.
    """

    text: Voiced
    boolean: Voiced
    integer: Voiced
    integer_range: Voiced
    choice: Voiced

    @model_validator(mode="after")
    def _fill_what_they_know(self) -> "SlotErrors":
        known = {"integer_range": {"minimum", "maximum"}, "choice": {"choices"}}
        for name in type(self).model_fields:
            texts: Voiced = getattr(self, name)
            if any(placeholders(text) != known.get(name, set()) for text in texts.all):
                raise ValueError(f"{name} knows {sorted(known.get(name, set()))} only, and names all of it")
        return self


class PlanFile(Model):
    """Plans by level.

    Attributes:
        keywords: The personas' keywords (Korean) and their English names.
        unnamed: Used if no keyword was chosen.
    """

    levels: tuple[LevelPlan, ...] = Field(min_length=5, max_length=5)
    keywords: dict[str, str]
    unnamed: Localized
    restriction: LevelRestriction
    slot_errors: SlotErrors

    @field_validator("levels")
    @classmethod
    def _runs_from_one_to_five(cls, levels: tuple[LevelPlan, ...]) -> tuple[LevelPlan, ...]:
        if [plan.level for plan in levels] != [1, 2, 3, 4, 5]:
            raise ValueError("levels run from 1 to 5, each once")
        return levels

    def depth(self, level: int, locale: Locale) -> str:
        """Return how far Part 2 goes at a level (1-5)."""
        return self.levels[level - 1].depth.at(locale)

    def keyword(self, word: str, locale: Locale) -> str:
        """Return a keyword's name in `locale`; an unknown keyword stays as it is."""
        return self.keywords.get(word, word) if locale is Locale.EN else word

    def restriction_left_out(self, level: int, restrictions: str, locale: Locale) -> str:
        """Return the level's restriction if the task's `restrictions` lack it, else an empty text."""
        rule = self.restriction
        if level > rule.upto or any(word in restrictions.casefold() for word in rule.known_by.at(locale)):
            return ""
        return rule.text.at(locale)

    def slot_error(
        self,
        kind: SlotKind,
        choices: tuple[str, ...],
        bounds: tuple[int | None, int | None],
        locale: Locale,
        register: Register,
    ) -> str:
        """Return the text for an invalid value."""
        errors, (low, high) = self.slot_errors, bounds
        match kind:
            case SlotKind.BOOLEAN:
                return errors.boolean.at(locale, register)
            case SlotKind.INTEGER if low is not None and high is not None:
                return errors.integer_range.at(locale, register).format(minimum=low, maximum=high)
            case SlotKind.INTEGER:
                return errors.integer.at(locale, register)
            case SlotKind.CHOICE:
                return errors.choice.at(locale, register).format(choices=", ".join(choices))
            case SlotKind.TEXT | SlotKind.NAME:
                return errors.text.at(locale, register)
            case _:
                assert_never(kind)

    def plan(self, level: int, keywords: tuple[str, ...], locale: Locale) -> TemplatePlan:
        """Return a plan; its tasks use the keywords in turn."""
        words = tuple(self.keyword(word, locale) for word in keywords) or (self.unnamed.at(locale),)
        chosen = self.levels[level - 1]
        return TemplatePlan(
            goal=chosen.goal.at(locale).format(keywords=", ".join(words)),
            depth=chosen.depth.at(locale),
            tasks=tuple(
                task.at(number, words[(number - 1) % len(words)], locale)
                for number, task in enumerate(chosen.tasks, start=1)
            ),
        )
