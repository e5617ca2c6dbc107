"""What the models of planner, supervisor, reviewer and turn can get wrong, each through the real job or turn.

It is corrected, dropped or counted, and never trusted.
"""

import json

import pytest

from functions.planner.transitions import carry_out
from functions.session_manager.review import review
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import ModelTimeout, ModelTruncated, ModelUnavailable
from shared.domain.turn import DecidedBy
from shared.engine.jobs import JobResult
from tests.fakes.background_room import Room, created, payload, transition
from tests.fakes.counselling import session, task
from tests.fakes.plans import SAID, proposal
from tests.fakes.talk import Talk

TALKED = ("저는 민지예요", "회사에서 발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "네", "덜 떨고 싶어요")
PART2 = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_goal": "발표의 떨림을 이해한다"}
COVERED, WAITS = task("task_part2_1", 2, status="sufficient"), task("task_part2_2", 2)
BROKEN_JSON = ("네, 괜찮아 보입니다.", "{", "null", "[]", '{"part2_completed": "perhaps"}', '{"scores": 7}')
GUESS = {"type": "Type_A", "confidence": 0.9, "evidence": [SAID[0], SAID[1]]}
UNTOUCHED = ("status", "tasks", "current_task", "current_part", "plan_status", "wrap_up", "risk", "replans", "goals")
LATE = ModelTimeout("late")


@pytest.mark.parametrize("answer", [*BROKEN_JSON, LATE, ModelUnavailable("503")])
async def test_what_breaks_the_schema_leaves_no_judgement_and_the_work_due(answer):
    room = Room({"session_manager": answer, "supervisor": answer})
    before = await room.open(session(COVERED, WAITS, **PART2), TALKED)
    assert await review(room.context, payload(JobKind.REVIEW, 5)) is JobResult.RETRY
    assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.RETRY
    state = await room.session()
    assert [name for name in UNTOUCHED if getattr(state, name) != getattr(before, name)] == []
    assert (state.watermarks.reviewed, state.watermarks.supervised) == (0, 0)
    assert state.budget.background_calls >= 2, "what failed is paid for all the same"
    assert not {*await room.records("reviews"), *await room.records("supervision")}


@pytest.mark.parametrize("answer", [BROKEN_JSON[0], "{", LATE])
@pytest.mark.parametrize(
    "agent", ["task_completion_checker", "user_state_detector", "task_selector", "module_selector"]
)
async def test_whatever_agent_breaks_in_a_turn_the_user_gets_a_reply_and_the_ledger_says_so(agent, answer):
    talk = Talk()
    talk.plan(WAITS, task("task_part2_3", 2))
    talk.model.scripts[agent] = answer
    said = await talk.say("요즘 회사에서 발표가 너무 무서워요")
    failed = {run.agent for run in said.runs if run.decided_by is DecidedBy.SAFE_DEFAULT}
    asked = {run.agent for run in said.runs if run.attempts}
    assert failed == ({agent} & asked) | ({"task_selector"} if "task_selector" in asked else set())
    assert said.state.task_in_progress is not None


def plan(*titles, **more):
    """Return a sound plan as the model's JSON."""
    return {**json.loads(proposal(*titles).model_dump_json()), **more}


def with_first(**more):
    """Return a plan of four tasks whose first differs."""
    sound = plan("하나", "둘", "셋", "넷")
    return {**sound, "tasks": [{**sound["tasks"][0], **more}, *sound["tasks"][1:]]}


FAILED = {"model_failed": 1}
OWN_FIELDS = {"id": "task_welcome_1", "status": "completed", "part": 3, "max_turns": 99, "origin": "template"}
GIVE_WAY = {
    "prose instead of JSON": ("네, 이렇게 계획했어요.", FAILED),
    "an answer that was cut": (json.dumps(plan())[:200], FAILED),
    "another shape": ({"tasks": "하나, 둘, 셋"}, FAILED),
    "a list of plans": ([plan()], FAILED),
    "no answer in time": (LATE, FAILED),
    "a truncated answer": (ModelTruncated("cut"), FAILED),
    "too few tasks": (plan("하나", "둘"), {"too_few_tasks": 2, **FAILED}),
    "no tasks": (plan(tasks=[]), {"too_few_tasks": 2, **FAILED}),
    "a goal of a crisis": (plan(goal="고통 없이 죽는 방법 찾기"), {"alarming": 2, **FAILED}),
}
"""First plans that give way to the template, and what is counted of them."""
CORRECTED = {
    "too many tasks": (plan(*(f"할 일 {count}" for count in range(9))), {"too_many_tasks": 3}, 6),
    "one title twice": (plan("하나", "둘", "셋", "하나"), {"double_task": 1}, 3),
    "an unknown module": (with_first(module_id="hypnosis"), {"unknown_module": 1}, 4),
    "a module that is never planned": (with_first(module_id="crisis_support"), {"unknown_module": 1}, 4),
    "an unknown kind": (with_first(kind="exorcism"), {"unknown_kind": 1}, 3),
    "an unknown priority": (with_first(priority="now"), {"unknown_priority": 1}, 4),
    "an empty text": (with_first(target=" "), {"empty_text": 1}, 3),
    "a task of a crisis": (with_first(title="죽고 싶은 마음을 정리하기"), {"alarming": 1}, 3),
    "ids and statuses of its own": (with_first(**OWN_FIELDS), {}, 4),
}
"""First plans that are corrected, what is counted of them, and how many tasks they have then."""


@pytest.mark.parametrize("name", [*GIVE_WAY, *CORRECTED])
async def test_a_bad_first_plan_is_corrected_or_gives_way_to_the_template_and_is_counted(name):
    answer, counted, *tasks = (GIVE_WAY | CORRECTED)[name]
    written = answer if isinstance(answer, Exception | str) else json.dumps(answer)
    room = Room({"planner": lambda _request: written, "persona_inferrer": json.dumps(GUESS)})
    keywords = persona_of(room.context.content.personas, None)
    state = session(task(status="sufficient"), plan_status="planning", planning_seq=3, user_persona=keywords)
    await room.open(state, SAID, (transition("1-2"),))
    assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
    state = await room.session()
    planned = [one for one in state.tasks if one.part is Part.EXPLORATION]
    assert state.current_part is Part.EXPLORATION
    assert 3 <= len(planned) <= 6
    assert tasks in ([], [len(planned)])
    assert {(one.status, one.max_turns) for one in planned} == {(TaskStatus.PENDING, 6)}
    assert all(one.id.startswith("task_part2_") for one in planned)
    known = {module.id for module in room.context.content.modules(state.locale)}
    assert {one.module_id for one in planned} <= known - {"crisis_support"}
    record = await room.record("plans", "0")
    assert (record["origin"], record["counted"]) == ("model" if name in CORRECTED else "template", counted)
