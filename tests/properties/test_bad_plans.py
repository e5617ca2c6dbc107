"""What a planner's model can get wrong, each through the real job: corrected or dropped, counted, never trusted."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import FeedbackSource, FeedbackStatus
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import ModelTimeout, ModelTruncated
from shared.engine.jobs import JobResult
from tests.fakes.background_room import Room, created, transition
from tests.fakes.counselling import NOW, session, task
from tests.fakes.plans import SAID, proposal

GUESS = {"type": "Type_A", "confidence": 0.9, "evidence": [SAID[0], SAID[1]]}
COVERED_TITLE = "title of task_part2_1"
NO_PERSONA_GIVEN = {"type": "", "confidence": 0, "evidence": []}


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

            assert await carry_out(room.bench, created("part_transitions", "1-2")) is JobResult.DONE

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


PERSONAS = {
    "a type that is none of the sixteen": ({**GUESS, "type": "Type_Z"}, None, {"unknown_persona": 1}),
    "a type in words": ({**GUESS, "type": "완벽주의자"}, None, {"unknown_persona": 1}),
    "words that nobody said": (
        {**GUESS, "evidence": ["저는 늘 화가 나요", "다 때려치우고 싶어요"]},
        None,
        {"unsure_persona": 1},
    ),
    "too little confidence": ({**GUESS, "confidence": 0.3}, None, {"unsure_persona": 1}),
    "confidence of another scale": ({**GUESS, "confidence": 95}, None, {}),
    "nothing": (NO_PERSONA_GIVEN, None, {}),
    "a sound guess": (GUESS, "Type_A", {}),
}


async def test_a_persona_holds_only_as_one_of_the_sixteen_and_by_the_users_words(subtests: pytest.Subtests) -> None:
    for name, (guess, expected, counted) in PERSONAS.items():
        with subtests.test(name=name):
            room = await part_one_over({"planner": json.dumps(plan()), "persona_inferrer": json.dumps(guess)})

            await carry_out(room.bench, created("part_transitions", "1-2"))

            state = await room.session()
            assert (state.user_persona.type, state.user_persona.counseling_level) == (expected, 1)
            record = await room.record("plans", "0")
            assert record is not None
            of_the_persona = {"unknown_persona", "unsure_persona"}
            assert {code: n for code, n in record["counted"].items() if code in of_the_persona} == counted  # type: ignore[union-attr]


REPLANS = {
    "too many tasks": (plan(*titles(9)), {"too_many_tasks": 5}, 4),
    "what is done already": (plan(COVERED_TITLE, "다른 것"), {"already_covered": 1}, 1),
    "an unknown module": (with_first(module_id="hypnosis"), {"unknown_module": 1}, 4),
}


async def test_a_bad_replan_is_corrected_and_counted_and_what_is_done_stays_done(subtests: pytest.Subtests) -> None:
    for name, (answer, counted, tasks) in REPLANS.items():
        with subtests.test(name=name):
            room = await part_two({"planner": json.dumps(answer)})
            before = await room.session()

            assert await replan(room.bench, created("planner_feedback", "3-supervisor")) is JobResult.DONE

            state = await room.session()
            new = [one for one in state.tasks if before.task(one.id) is None]
            assert len(new) == tasks
            assert [state.task(f"task_part2_{n}").status for n in (1, 2, 3)] == [  # type: ignore[union-attr]
                TaskStatus.SUFFICIENT,
                TaskStatus.IN_PROGRESS,
                TaskStatus.PENDING,
            ]
            assert [one.id for one in state.tasks if one.parked] == ["task_part2_3"], "put aside, not dropped"
            record = await room.record("plans", "1")
            assert record is not None
            found = {code: n for code, n in record["counted"].items() if not code.endswith("keyword")}  # type: ignore[union-attr]
            assert {code: n for code, n in found.items() if code in counted} == counted
            assert (await room.record("planner_feedback", "3-supervisor") or {})["status"] == FeedbackStatus.APPLIED


async def test_a_replan_that_does_not_hold_changes_nothing_and_its_feedback_waits_on(subtests: pytest.Subtests) -> None:
    cases = ["not a plan", {"tasks": 3}, ModelTimeout("late"), plan(COVERED_TITLE)]
    for answer in cases:
        with subtests.test(answer=answer):
            room = await part_two({"planner": answered(answer)})
            before = await room.session()

            assert await replan(room.bench, created("planner_feedback", "3-supervisor")) is JobResult.RETRY

            state = await room.session()
            assert (state.tasks, state.replans, state.part2_task_update_count) == (before.tasks, 1, 0)
            assert (await room.record("planner_feedback", "3-supervisor") or {})["status"] == FeedbackStatus.PENDING


async def _ended_meanwhile(room: Room) -> None:
    await room.change(status=SessionStatus.COMPLETED, current_task=None, ended_at=NOW)


@pytest.mark.parametrize("meanwhile", [False, True], ids=["ended before", "ended while the model was asked"])
async def test_a_late_replan_of_an_ended_session_is_superseded_and_changes_no_task(*, meanwhile: bool) -> None:
    room = await part_two({"planner": json.dumps(plan())})
    if meanwhile:
        room.model.meanwhile = lambda: _ended_meanwhile(room)
    else:
        await _ended_meanwhile(room)
    tasks = (await room.session()).tasks

    results = [await replan(room.bench, created("planner_feedback", "3-supervisor")) for _ in range(3)]

    state = await room.session()
    assert JobResult.DONE not in results
    assert (state.status, state.tasks) == (SessionStatus.COMPLETED, tasks)
    assert (state.part2_task_update_count, state.replans) == (0, 0)
    assert not await room.records("plans")
    assert (await room.record("planner_feedback", "3-supervisor") or {})["status"] == FeedbackStatus.SUPERSEDED


async def test_a_plan_for_a_session_that_ended_while_it_was_made_is_dropped() -> None:
    room = await part_one_over({"planner": json.dumps(plan()), "persona_inferrer": json.dumps(GUESS)})
    room.model.meanwhile = lambda: _ended_meanwhile(room)

    results = await asyncio.gather(*(carry_out(room.bench, created("part_transitions", "1-2")) for _ in range(2)))

    state = await room.session()
    assert JobResult.MOOT in results
    assert set(results) <= {JobResult.MOOT, JobResult.BUSY}
    assert (state.current_part, state.user_persona.type) == (Part.OPENING, None)
    assert not [one for one in state.tasks if one.part is Part.EXPLORATION]


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
    keywords = persona_of(room.bench.content.personas, None)
    await room.open(state.model_copy(update={"user_persona": keywords}), SAID, (transition("1-2"),))
    return room


async def part_two(scripts: dict[str, Any]) -> Room:
    room = Room(scripts)
    state = session(
        task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT),
        task("task_part2_2", Part.EXPLORATION, status=TaskStatus.IN_PROGRESS),
        task("task_part2_3", Part.EXPLORATION),
        current_task="task_part2_2",
        current_part=Part.EXPLORATION,
        plan_status=PlanStatus.READY,
        part2_goal="목표",
        replans=1,
        user_persona=persona_of(room.bench.content.personas, "Type_A"),
    )
    asked = feedback(state, FeedbackSource.SUPERVISOR, kind="strategy_change", reason="더 천천히", seq=3, at=NOW)
    await room.open(state, SAID, (asked,))
    return room


def known_modules(room: Room, state: Session) -> set[str]:
    return {module.id for module in room.bench.content.modules(state.locale)}
