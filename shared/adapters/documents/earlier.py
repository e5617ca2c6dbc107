"""Upcasts sessions of the earlier system, which stored completed tasks in a separate list.

Its entries become completed tasks. A session that lacks required data of today (user, consents, module) stays
unreadable.
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
"""The six modules of the earlier system, with the kind of their tasks."""


def completed_tasks_join_the_others(data: Data) -> Data:
    """0 to 1: move the entries of `completed_tasks` to the tasks as completed ones, and drop the list.

    A session without that list, or with lists of another type, stays as it is; the model then rejects the latter.
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
    """Return the id of an entry, which is a task or an id."""
    found = entry.get("id") if isinstance(entry, dict) else entry
    return found if isinstance(found, str) else None


def _each_once(entries: list[Value]) -> list[Value]:
    """Drop entries that repeat an id, keeping the last one."""
    latest = {_id(entry): entry for entry in entries if _id(entry) is not None}
    return [*latest.values(), *(entry for entry in entries if _id(entry) is None)]


def _whole(entry: Value, *, completed: bool) -> Value:
    """Add the fields that the earlier system lacked; an id alone becomes a task named after it.

    Other values are returned unchanged, for the model to reject.
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
