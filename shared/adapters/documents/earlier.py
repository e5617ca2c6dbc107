"""Sessions of the earlier system: covered tasks lay in a list beside the tasks (seed 000, "Task 상태 관리 개선").

Brought over is the list alone: its entries stand among the tasks as completed ones. What that system did not store (who
the user is, what they consented to, the module at work) nobody can make up: a session without it stays unreadable.
"""

from shared.domain.counseling.task import Part, TaskKind, TaskStatus
from shared.ports.document_writes import Data, Value

COMPLETED_TASKS = "completed_tasks"
_UNKNOWN_MODULE = "information_gathering"
_KINDS = {
    "rapport_building": TaskKind.RAPPORT,
    "information_gathering": TaskKind.INFORMATION,
    "goal_setting": TaskKind.GOAL_SETTING,
    "trust_building": TaskKind.WELCOME,
    "empathy_expression": TaskKind.EMOTION,
    "questioning_technique": TaskKind.EXPLORATION,
}
"""The six modules of the earlier system, and what a task of each is about."""


def completed_tasks_join_the_others(data: Data) -> Data:
    """0 to 1: what the list `completed_tasks` names is a completed task among the tasks, and the list is gone.

    A session without such a list stays as it is, and so does one whose lists are none: it does not fit the model, and
    whoever reads it is told so.
    """
    done, tasks = data.get(COMPLETED_TASKS), data.get("tasks", [])
    if not isinstance(done, list) or not isinstance(tasks, list):
        return data
    named, there = {_id(entry) for entry in done} - {None}, {_id(task) for task in tasks}
    added = [_whole(entry, completed=True) for entry in _each_once(done) if _id(entry) not in there]
    kept = [_whole(task, completed=_id(task) in named) for task in tasks]
    brought: Data = {name: value for name, value in data.items() if name != COMPLETED_TASKS}
    brought["tasks"] = [*added, *kept]
    if data.get("current_task") in named:
        brought["current_task"] = None
    return brought


def _id(entry: Value) -> str | None:
    """Return the id that an entry is or bears."""
    found = entry.get("id") if isinstance(entry, dict) else entry
    return found if isinstance(found, str) else None


def _each_once(entries: list[Value]) -> list[Value]:
    """Return the entries without those that repeat an id; the last one stays, which was written latest."""
    latest = {_id(entry): entry for entry in entries if _id(entry) is not None}
    return [*latest.values(), *(entry for entry in entries if _id(entry) is None)]


def _whole(entry: Value, *, completed: bool) -> Value:
    """Return a task with what the earlier system did not know of; an id alone becomes a task that is named by it.

    What is neither is left as it is, for the model to refuse.
    """
    if isinstance(entry, str):
        entry = {"id": entry, "title": entry, "description": "", "target": "", "completion_criteria": ""}
    if not isinstance(entry, dict):
        return entry
    module = entry.get("module_id", _UNKNOWN_MODULE)
    kind = _KINDS.get(str(module), TaskKind.EXPLORATION)
    missing: Data = {"part": int(Part.OPENING), "kind": kind.value, "module_id": module}
    status: Data = {"status": TaskStatus.COMPLETED.value} if completed else {}
    return {**missing, **entry, **status}
