"""The plan as shown in prompts: open tasks and the newest covered ones."""

from shared.domain.counseling.review import out_of_plan
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, Task

MOST_DONE = 8
"""Maximum covered tasks in a prompt; more than one plan holds."""


def plan_in_prompt(session: Session, part: Part) -> tuple[Task, ...]:
    """Return a Part's tasks in order, without tasks put aside by a re-plan and the oldest covered ones."""
    mine = [task for task in session.tasks if task.part is part and not out_of_plan(task)]
    done = {task.id for task in mine if task.covered}
    old = {task.id for task in [task for task in mine if task.id in done][:-MOST_DONE]}
    return tuple(task for task in mine if task.id not in old)
