"""Resource names of queues and tasks.

Source: https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`Queue.name`, `Task.name`)
"""

import re

from local.emulators.tasks.problems import invalid

_QUEUE = re.compile(r"projects/[A-Za-z0-9:.\-]+/locations/[A-Za-z0-9\-]+/queues/[A-Za-z0-9\-]{1,100}")
_TASK = re.compile(rf"{_QUEUE.pattern}/tasks/[A-Za-z0-9_\-]{{1,500}}")
_FORM = "projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID"


def queue_name(name: str) -> str:
    """Check the name of a queue.

    Raises:
        Problem: It is invalid.
    """
    if not _QUEUE.fullmatch(name):
        raise invalid(f"{name!r} is no queue name: {_FORM}")
    return name


def task_name(name: str) -> str:
    """Check the name of a task.

    Raises:
        Problem: It is invalid.
    """
    if not _TASK.fullmatch(name):
        raise invalid(f"{name!r} is no task name: {_FORM}/tasks/TASK_ID")
    return name


def queue_of(task: str) -> str:
    """Return the queue of a task."""
    return task.partition("/tasks/")[0]


def short_id(name: str) -> str:
    """Return the last part: `QUEUE_ID` or `TASK_ID`."""
    return name.rpartition("/")[2]
