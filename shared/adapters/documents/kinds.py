"""Kinds of documents and their histories, by the id of their collection.

A kind that is not listed has had one version: 1.

The earlier system stored completed tasks in a list of their own. Its entries become completed tasks. A session that
lacks required data of today (user, consents, module) stays unreadable.
"""

from collections.abc import Mapping
from datetime import datetime

from shared.adapters.documents.retention import EXPIRY
from shared.adapters.documents.versions import DocumentKind
from shared.domain.counseling.task import Part, TaskKind, TaskStatus
from shared.domain.records import AUDIT_RETENTION
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
    found = entry.get("id") if isinstance(entry, dict) else entry
    return found if isinstance(found, str) else None


def _each_once(entries: list[Value]) -> list[Value]:
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


def _unchanged(data: Data) -> Data:
    """0 to 1: documents got a version; nothing else changed."""
    return data


def _audit_entry_expires(data: Data) -> Data:
    """0 to 1: audit entries got an expiry."""
    at = data.get("at")
    return {**data, EXPIRY: at + AUDIT_RETENTION if isinstance(at, datetime) else None}


def _module_change_has_a_code(data: Data) -> Data:
    """1 to 2: the code of a module's change has a field of its own; `module_change_reason` has it in words.

    The words of a change before that are not known; the next change brings them.
    """
    brought: Data = {**data, "module_change_code": data.get("module_change_reason"), "module_change_reason": None}
    return brought


def _flow_tells_whether_it_waits(data: Data) -> Data:
    """2 to 3: `mid_flow` is no field; each flow tells by its own state whether it waits for the user."""
    return {name: value for name, value in data.items() if name != "mid_flow"}


KINDS: Mapping[str, DocumentKind] = {
    "audit": DocumentKind((_audit_entry_expires,), oldest=0),
    "checkpoints": DocumentKind(beside=frozenset({EXPIRY})),
    "conversations": DocumentKind((_unchanged,), oldest=0),
    "messages": DocumentKind((_unchanged,), oldest=0, beside=frozenset({"position", EXPIRY})),
    "sessions": DocumentKind(
        (completed_tasks_join_the_others, _module_change_has_a_code, _flow_tells_whether_it_waits), oldest=0
    ),
    "vectors": DocumentKind(beside=frozenset({"embedding"})),
}


def kind_of(path: str) -> DocumentKind:
    return KINDS.get(path.split("/")[-2], DocumentKind())
