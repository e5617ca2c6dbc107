"""What a planner's model can get wrong, each through the real job: corrected or dropped, counted, never trusted."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from functions.planner.transitions import carry_out
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import ModelTimeout, ModelTruncated
from shared.engine.jobs import JobResult
from tests.fakes.background_room import Room, created, transition
from tests.fakes.counselling import session, task
from tests.fakes.plans import SAID, proposal

GUESS = {"type": "Type_A", "confidence": 0.9, "evidence": [SAID[0], SAID[1]]}


def plan(*titles: str, **more: object) -> dict[str, Any]:
    """Return a sound plan as the model's JSON."""
    return {**json.loads(proposal(*titles).model_dump_json()), **more}


def with_first(**more: object) -> dict[str, Any]:
    """Return a plan of four tasks whose first differs."""
    sound = plan("하나", "둘", "셋", "넷")
    return {**sound, "tasks": [{**sound["tasks"][0], **more}, *sound["tasks"][1:]]}


def titles(number: int) -> tuple[str, ...]:
    return tuple(f"할 일 {count}" for count in range(number))


@dataclass(frozen=True)
class Case:
    """One thing that is wrong, and what is left of it.

    Attributes:
        tasks: How many tasks the plan that holds has.
    """

    answer: object
    counted: dict[str, int]
    origin: str = "model"
    tasks: int | None = None


FIRST_PLANS = {
    "prose instead of JSON": Case("네, 이렇게 계획했어요.", {"model_failed": 1}, "template"),
    "an answer that was cut": Case(json.dumps(plan())[:200], {"model_failed": 1}, "template"),
    "another shape": Case({"tasks": "하나, 둘, 셋"}, {"model_failed": 1}, "template"),
    "a list of plans": Case([plan()], {"model_failed": 1}, "template"),
    "no answer in time": Case(ModelTimeout("late"), {"model_failed": 1}, "template"),
    "a truncated answer": Case(ModelTruncated("cut"), {"model_failed": 1}, "template"),
    "too few tasks": Case(plan("하나", "둘"), {"too_few_tasks": 2, "model_failed": 1}, "template"),
    "no tasks": Case(plan(tasks=[]), {"too_few_tasks": 2, "model_failed": 1}, "template"),
    "too many tasks": Case(plan(*titles(9)), {"too_many_tasks": 3}, tasks=6),
    "one title twice": Case(plan("하나", "둘", "셋", "하나"), {"double_task": 1}, tasks=3),
    "an unknown module": Case(with_first(module_id="hypnosis"), {"unknown_module": 1}, tasks=4),
    "a module that is never planned": Case(with_first(module_id="crisis_support"), {"unknown_module": 1}, tasks=4),
    "an unknown kind": Case(with_first(kind="exorcism"), {"unknown_kind": 1}, tasks=3),
    "an unknown priority": Case(with_first(priority="now"), {"unknown_priority": 1}, tasks=4),
    "an empty text": Case(with_first(target=" "), {"empty_text": 1}, tasks=3),
    "a task of a crisis": Case(with_first(title="죽고 싶은 마음을 정리하기"), {"alarming": 1}, tasks=3),
    "a goal of a crisis": Case(plan(goal="고통 없이 죽는 방법 찾기"), {"alarming": 2, "model_failed": 1}, "template"),
    "ids and statuses of its own": Case(
        with_first(id="task_welcome_1", status="completed", part=3, max_turns=99, origin="template"), {}, tasks=4
    ),
}


async def test_a_bad_first_plan_is_corrected_or_gives_way_to_the_template_and_is_counted(
    subtests: pytest.Subtests,
) -> None:
    for name, case in FIRST_PLANS.items():
        with subtests.test(name=name):
            room = await part_one_over({"planner": answered(case.answer), "persona_inferrer": json.dumps(GUESS)})

            assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE

            state = await room.session()
            planned = [one for one in state.tasks if one.part is Part.EXPLORATION]
            assert state.current_part is Part.EXPLORATION
            assert 3 <= len(planned) <= 6
            assert case.tasks in (None, len(planned))
            assert {one.status for one in planned} == {TaskStatus.PENDING}
            assert {one.max_turns for one in planned} == {6}
            assert all(one.id.startswith("task_part2_") for one in planned)
            assert {one.module_id for one in planned} <= known_modules(room, state) - {"crisis_support"}
            record = await room.record("plans", "0")
            assert (record["origin"], record["counted"]) == (case.origin, case.counted)


def answered(answer: object) -> Any:
    """Return a script that says this again and again."""
    if isinstance(answer, BaseException | str):
        return answer
    written = json.dumps(answer)
    says: Callable[[object], str] = lambda _request: written  # noqa: E731
    return says


async def part_one_over(scripts: dict[str, Any]) -> Room:
    room = Room(scripts)
    state = session(task(status=TaskStatus.SUFFICIENT), plan_status=PlanStatus.PLANNING, planning_seq=3)
    keywords = persona_of(room.context.content.personas, None)
    await room.open(state.model_copy(update={"user_persona": keywords}), SAID, (transition("1-2"),))
    return room


def known_modules(room: Room, state: Session) -> set[str]:
    return {module.id for module in room.context.content.modules(state.locale)}
