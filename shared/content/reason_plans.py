"""Makes a plan of Part 2 for a reason and a level, without a model."""

from shared.content.schemas.part2_reasons import ReasonPlan
from shared.content.schemas.plans import PlanFile, TemplatePlan
from shared.domain.counseling.task import Task
from shared.locale import Locale

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
