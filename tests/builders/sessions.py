"""Small sessions, tasks and slots for tests; all fields have plain defaults."""

from datetime import UTC, datetime, timedelta

from shared.domain.counseling.module import Module
from shared.domain.counseling.session import Session, SessionType
from shared.domain.counseling.task import CompletionRule, Part, Task, TaskKind
from shared.domain.slots import Slot

NOW = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
EVERYWHERE = {one: tuple(Part) for one in SessionType}


def slot(name: str = "reason", **more: object) -> Slot:
    questions = (f"{name}?", f"once more: {name}?", f"differently: {name}?")
    plain = {"name": name, "label": name.title(), "questions": questions, "error": f"that is no {name}"}
    return Slot.model_validate(plain | more)


def task(task_id: str = "task_a", part: Part = Part.OPENING, **more: object) -> Task:
    rule = CompletionRule.SLOTS if more.get("required_slots") else CompletionRule.JUDGED
    plain = {
        "id": task_id,
        "part": part,
        "kind": TaskKind.INFORMATION,
        "module_id": "information_gathering",
        "min_turns": 1,
    }
    plain |= {"title": f"title of {task_id}", "description": "", "target": f"target of {task_id}"}
    return Task.model_validate(plain | {"completion_criteria": "said it", "completion_rule": rule} | more)


def session(*tasks: Task, **more: object) -> Session:
    plain = {"conversation_id": "c1", "user_id": "u1", "consents": {}, "age_band": "adult", "flow": "counseling"}
    times = {"created_at": NOW, "updated_at": NOW, "expire_at": NOW + timedelta(days=365)}
    return Session.model_validate(plain | times | {"tasks": tasks, "current_module": "rapport_building"} | more)


def module(module_id: str, **more: object) -> Module:
    plain = {"id": module_id, "name": module_id, "description": f"about {module_id}", "guidelines": ()}
    return Module.model_validate(plain | {"summary": ("one", "two", "three"), "applicable_to": EVERYWHERE} | more)
