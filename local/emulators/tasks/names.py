"""Resource names of locations, queues and tasks.

Source: https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`Queue.name`, `Task.name`)
"""

import re

from local.emulators.tasks.problems import invalid

_LOCATION = r"projects/[A-Za-z0-9:.\-]+/locations/[A-Za-z0-9\-]+"
_QUEUE = rf"{_LOCATION}/queues/[A-Za-z0-9\-]{{1,100}}"
_TASK = rf"{_QUEUE}/tasks/[A-Za-z0-9_\-]{{1,500}}"
_FORMS = {
    "location": (re.compile(_LOCATION), "projects/PROJECT_ID/locations/LOCATION_ID"),
    "queue": (re.compile(_QUEUE), "projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID"),
    "task": (re.compile(_TASK), "projects/PROJECT_ID/locations/LOCATION_ID/queues/QUEUE_ID/tasks/TASK_ID"),
}


def location_name(name: str) -> str:
    """Check the name of a location.

    Raises:
        Problem: It is invalid.
    """
    return _checked("location", name)


def queue_name(name: str) -> str:
    """Check the name of a queue.

    Raises:
        Problem: It is invalid.
    """
    return _checked("queue", name)


def task_name(name: str) -> str:
    """Check the name of a task.

    Raises:
        Problem: It is invalid.
    """
    return _checked("task", name)


def location_of(queue: str) -> str:
    """Return the location of a queue."""
    return queue.partition("/queues/")[0]


def queue_of(task: str) -> str:
    """Return the queue of a task."""
    return task.partition("/tasks/")[0]


def short_id(name: str) -> str:
    """Return the last part: `QUEUE_ID` or `TASK_ID`."""
    return name.rpartition("/")[2]


def _checked(kind: str, name: str) -> str:
    form, words = _FORMS[kind]
    if not form.fullmatch(name):
        raise invalid(f"{name!r} is no {kind} name: {words}")
    return name
