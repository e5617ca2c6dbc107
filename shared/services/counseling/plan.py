"""The plan as prompts show it: the open tasks, and the newest of those that are done."""

from shared.domain.counseling.review import out_of_plan
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task

MOST_DONE = 8
"""Covered tasks in a prompt. More than one plan holds."""


def plan_in_prompt(session: Session, part: Part) -> tuple[Task, ...]:
    """Return a Part's tasks, in order; those that a re-plan put aside are no part of the plan any more."""
    mine = [task for task in session.tasks if task.part is part and not out_of_plan(task)]
    done = {task.id for task in mine if task.covered}
    old = {task.id for task in [task for task in mine if task.id in done][:-MOST_DONE]}
    return tuple(task for task in mine if task.id not in old)
