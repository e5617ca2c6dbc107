"""Makes a plan of Part 2 for a reason and a level, without a model."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from shared.content.schemas.plans import PlanFile, PlanTask, TemplatePlan
from shared.domain.counseling.reason import Reason
from shared.domain.counseling.task import Priority, Task
from shared.locale import Locale, Localized
from shared.model import Model

LEVELS = range(1, 6)
UNDERSTAND, ACT = 3, 4
"""The level that looks for the pattern, and the first that settles on a step."""


class ReasonGoals(Model):
    """The goal of Part 2 by how far the level goes.

    Attributes:
        look: Levels 1 and 2: naming what is going on and how it feels.
        understand: Level 3.
        act: Levels 4 and 5.
    """

    look: Localized
    understand: Localized
    act: Localized

    def at(self, level: int, locale: Locale) -> str:
        """Return the goal of a level (1-5)."""
        if level >= ACT:
            return self.act.at(locale)
        return (self.understand if level == UNDERSTAND else self.look).at(locale)


class ReasonTask(PlanTask):
    """A task and the levels that it serves."""

    priority: Priority = Priority.HIGH
    levels: tuple[int, ...] = Field(min_length=1)

    @field_validator("levels")
    @classmethod
    def _are_levels(cls, levels: tuple[int, ...]) -> tuple[int, ...]:
        if not set(levels) <= set(LEVELS):
            raise ValueError("levels run from 1 to 5")
        return levels


class ReasonPlan(Model):
    """Part 2 for one reason.

    Attributes:
        name: In a few words, without judgement; tasks of the level's plan are about it.
        caution: What the counsellor must not do in any of its tasks.
    """

    reason: Reason
    name: Localized
    caution: Localized
    goals: ReasonGoals
    tasks: tuple[ReasonTask, ...]

    @model_validator(mode="after")
    def _serves_every_level(self) -> Self:
        for level in LEVELS:
            if not self.at(level):
                raise ValueError(f"{self.reason.value} has no task for level {level}")
        return self

    def at(self, level: int) -> tuple[ReasonTask, ...]:
        """Return the tasks of a level (1-5), in order."""
        return tuple(task for task in self.tasks if level in task.levels)


class ReasonPlanFile(Model):
    reasons: tuple[ReasonPlan, ...]

    @field_validator("reasons")
    @classmethod
    def _has_each_once(cls, reasons: tuple[ReasonPlan, ...]) -> tuple[ReasonPlan, ...]:
        if sorted(plan.reason for plan in reasons) != sorted(Reason):
            raise ValueError("every reason has one plan")
        return reasons

    def of(self, reason: Reason) -> ReasonPlan:
        return next(plan for plan in self.reasons if plan.reason is reason)


FEWEST_TASKS = 3
"""Minimum tasks of a plan; the level's own plan adds what a reason's plan lacks."""


def reason_plan(plan: ReasonPlan, levels: PlanFile, level: int, locale: Locale) -> TemplatePlan:
    """Return the plan of a reason at a level (1-5)."""
    name, own = plan.name.at(locale), plan.at(level)
    missing = max(0, FEWEST_TASKS - len(own))
    of_level = levels.levels[level - 1].tasks
    tasks = (*own, *of_level[len(of_level) - missing :])
    caution = plan.caution.at(locale)

    def cautious(task: Task) -> Task:
        told = " ".join(filter(None, (caution, task.restrictions)))
        left_out = levels.restriction_left_out(level, told, locale)
        return task.model_copy(update={"restrictions": " ".join(filter(None, (told, left_out)))})

    return TemplatePlan(
        goal=plan.goals.at(level, locale),
        depth=levels.depth(level, locale),
        tasks=tuple(cautious(task.at(number, name, locale)) for number, task in enumerate(tasks, start=1)),
    )
