"""Loads the tasks of a type of session."""

from functools import cache
from pathlib import Path

from shared.content.loader import load_yaml
from shared.content.schemas.tasks import TaskFile
from shared.domain.counseling.task import Task
from shared.domain.errors import ContentError
from shared.locale import Locale, Register

_DATA = Path(__file__).parent / "data"


@cache
def load_tasks(session_type: str, locale: Locale, register: Register) -> tuple[Task, ...]:
    """Load the pending tasks of Part 1 and Part 3 (`ContentError` for an unknown session type)."""
    path = _DATA / f"tasks_{session_type}.yaml"
    # The edge checks session types; this check keeps any other text out of a path.
    if not session_type.isidentifier() or not path.is_file():
        raise ContentError(path.name, None, f"no tasks for session type {session_type!r}")
    return tuple(task.at(locale, register) for task in load_yaml(path, TaskFile).tasks)
