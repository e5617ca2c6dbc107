"""`part2_templates.yaml`: a plan of Part 2 for when no model can be reached."""

from pydantic import Field, field_validator, model_validator

from shared.content.schemas.voice import placeholders
from shared.domain.counseling.task import Part, Priority, Task, TaskKind
from shared.domain.ids import ModuleId, TaskId
from shared.domain.locale import Locale, Localized
from shared.domain.model import Model


class PlanTask(Model):
    """A task pattern; `{keyword}` in its texts is the keyword it is made for."""

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
        )


class LevelPlan(Model):
    """What Part 2 looks like at one counselling level.

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


class PlanFile(Model):
    """Plans by level.

    Attributes:
        keywords: The personas' keywords (Korean) and their English names.
        unnamed: Stands in when no keyword was chosen.
    """

    levels: tuple[LevelPlan, ...] = Field(min_length=5, max_length=5)
    keywords: dict[str, str]
    unnamed: Localized

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
        """Return a keyword's name in `locale`; one that is not ours stays as it is."""
        return self.keywords.get(word, word) if locale is Locale.EN else word

    def plan(self, level: int, keywords: tuple[str, ...], locale: Locale) -> TemplatePlan:
        """Make a plan; the keywords take turns over the level's tasks."""
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
