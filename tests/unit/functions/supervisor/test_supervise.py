"""Supervision, delivered as queues deliver it."""

import asyncio

import pytest

from functions.supervisor.judgement import Judgement
from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.session import PlanStatus, SessionStatus
from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.errors import ModelUnavailable
from shared.domain.ids import TaskId
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.fakes import answers
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import NOW, session, task

SAID = ("요즘 회사 가기가 무서워요", "팀장님이 다들 보는 데서 혼내요", "잠도 잘 못 자요")
PART2 = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_goal": "목표"}


def judgement(score: int = 8, **more: object) -> Judgement:
    said = {"improvements": ("까닭을 되비춰 주세요.",), "strengths": ("천천히 물었습니다.",)}
    return answers.judgement(score, **{**said, **more})


async def test_the_newest_turns_are_judged_and_written_at_once() -> None:
    room = Room({"supervisor": judgement(6)})
    await room.open(session(task()), SAID)

    assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.DONE

    state = await room.session()
    assert state.watermarks.supervised == 3
    gist = state.supervision_log[-1]
    assert (gist.seq, gist.data["total"], gist.data["needs_improvement"]) == (3, 6.0, True)
    assert gist.data["improvements"] == ["까닭을 되비춰 주세요."]
    record = await room.record("supervision", "3")
    assert record["total"] == 6.0
    assert gist.data["scores"] == record["scores"], "the Task Completion Checker goes by the task's own score"
    assert record["strengths"] == ["천천히 물었습니다."]
    assert state.budget.background_calls == 1


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_rubric_dialogue_and_register(locale: Locale) -> None:
    room = Room({"supervisor": judgement()})
    await room.open(session(task(), locale=locale), ("<b>무서워요</b>", *SAID[1:]))
    await supervise(room.context, payload(JobKind.SUPERVISE, 3))
    (request,) = room.model.asked("supervisor")
    assert "advice against" in request.system or "instruction against the task's restriction" in request.system
    assert "no-suicide contract" in request.system
    asked = request.messages[0].text
    assert "‹b›무서워요‹/b›" in asked
    assert "존댓말" in asked
    assert "안녕하세요." not in asked


async def test_three_deliveries_at_once_and_again_leave_one_judgement() -> None:
    room = Room({"supervisor": [judgement(6), judgement(9), judgement(3), judgement(2)]})
    await room.open(session(task()), SAID)
    job = payload(JobKind.SUPERVISE, 3)
    results = await asyncio.gather(*(supervise(room.context, job) for _ in range(3)))
    before = await room.documents()
    assert results.count(JobResult.DONE) == 1
    assert await supervise(room.context, job) is JobResult.MOOT
    assert await room.documents() == before
    assert await room.records("supervision") == {"3"}
    assert (await room.session()).budget.background_calls == len(room.model.requests) == 1


@pytest.mark.parametrize("order", [(3, 6), (6, 3)])
async def test_the_completions_are_written_once_by_whichever_job_comes_first(order: tuple[int, int]) -> None:
    room = Room({"supervisor": judgement()})
    covered = TaskCovered(task_id=TaskId("task_a"), reason=SufficientReason.REPLY, evidence="네", seq=2)
    await room.open(covered.apply(session(task()), NOW), (*SAID, "네", "맞아요", "그래요"))
    results = [await supervise(room.context, payload(JobKind.SUPERVISE, seq)) for seq in order for _ in range(3)]
    assert results.count(JobResult.DONE) == 2
    assert await room.records("completions") == {"2-task_a"}
    assert (await room.session()).watermarks.completions == 2


@pytest.mark.parametrize("order", [(3, 6), (6, 3)])
async def test_jobs_come_to_the_same_end_in_any_order_and_however_often(order: tuple[int, int]) -> None:
    room = Room({"supervisor": judgement()})
    await room.open(session(task()), (*SAID, "네", "맞아요", "그래요"))
    results = [await supervise(room.context, payload(JobKind.SUPERVISE, seq)) for seq in order for _ in range(3)]
    assert results.count(JobResult.DONE) == 2
    assert await room.records("supervision") == {"3", "6"}
    assert [entry.seq for entry in (await room.session()).supervision_log] == [3, 6]
    assert (await room.session()).watermarks.supervised == 6


async def test_a_failing_model_leaves_no_score_and_the_work_due() -> None:
    room = Room({"supervisor": ModelUnavailable("down")})
    await room.open(session(task()), SAID)
    before = await room.essence()
    for call in (1, 2):
        assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.RETRY
        assert await room.essence() == before
        assert (await room.session()).budget.background_calls == call
    assert not await room.records("supervision")


async def test_a_score_that_is_none_is_asked_again() -> None:
    wrong = judgement().model_dump_json().replace('"empathy":8', '"empathy":"good"')
    room = Room({"supervisor": [wrong, judgement(7)]})
    await room.open(session(task()), SAID)
    assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.DONE
    assert (await room.session()).supervision_log[-1].data["total"] == 7.0


@pytest.mark.parametrize(("named", "kept"), [("reframing", "reframing"), ("hypnosis", None), ("", None)])
async def test_an_unknown_module_is_dropped(named: str, kept: str | None) -> None:
    room = Room({"supervisor": judgement(suggested_module=named)})
    await room.open(session(task()), SAID)
    await supervise(room.context, payload(JobKind.SUPERVISE, 3))
    assert (await room.session()).supervision_log[-1].data["suggested_module"] == kept


STRATEGY = {"strategy_change": True, "strategy": "감정을 먼저 다루는 과제로"}
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=2, last_seq=2)


async def test_another_strategy_asks_the_planner_within_bounds(subtests: pytest.Subtests) -> None:
    cases = [
        (PART2, 1),
        ({}, 0),
        ({**PART2, "part2_task_update_count": PART2_MAX_REPLANS}, 0),
        ({**PART2, "risk": CRISIS}, 0),
    ]
    for fields, asked in cases:
        with subtests.test(fields=fields, asked=asked):
            room = Room({"supervisor": judgement(**STRATEGY)})
            await room.open(session(task(part=Part.EXPLORATION), **fields), SAID)
            assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.DONE
            assert (await room.session()).replans == asked
            assert len(await room.records("planner_feedback")) == asked


async def test_an_overtaken_judgement_asks_for_no_other_plan() -> None:
    room = Room({"supervisor": judgement(**STRATEGY)})
    await room.open(session(task(part=Part.EXPLORATION), **PART2), (*SAID, "네", "맞아요", "그래요"))
    await supervise(room.context, payload(JobKind.SUPERVISE, 6))
    asked = await room.records("planner_feedback")
    assert len(asked) == 1
    await supervise(room.context, payload(JobKind.SUPERVISE, 3))
    assert await room.records("planner_feedback") == asked


async def test_an_ended_session_is_left_alone() -> None:
    room = Room({"supervisor": judgement()})
    await room.open(session(task(), status=SessionStatus.COMPLETED), SAID)
    assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.MOOT
    assert not room.model.requests


async def test_a_session_that_ends_or_is_erased_meanwhile_gets_nothing() -> None:
    for interruption in ("ended", "erased"):
        room = Room({"supervisor": judgement()})
        await room.open(session(task()), SAID)
        if interruption == "ended":
            room.model.meanwhile = lambda room=room: room.change(status=SessionStatus.COMPLETED)
        else:
            room.model.meanwhile = lambda room=room: room.store.erase(ID)
        assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.MOOT
        assert not await room.records("supervision")
        if interruption == "ended":
            assert (await room.session()).budget.background_calls == 1
    assert not await room.documents()


async def test_a_turn_that_comes_between_is_not_overwritten() -> None:
    room = Room({"supervisor": judgement()})
    await room.open(session(task()), SAID)
    room.model.meanwhile = lambda: room.change(user_info={"name": "민지"})
    assert await supervise(room.context, payload(JobKind.SUPERVISE, 3)) is JobResult.DONE
    state = await room.session()
    assert (state.user_info, state.watermarks.supervised) == ({"name": "민지"}, 3)


@pytest.mark.parametrize("seq", [0, 2, 7])
async def test_what_is_not_due_is_moot(seq: int) -> None:
    room = Room({"supervisor": judgement()})
    await room.open(session(task()), SAID)
    assert await supervise(room.context, payload(JobKind.SUPERVISE, seq)) is JobResult.MOOT
    assert not room.model.requests


async def test_a_conversation_that_never_was_is_moot() -> None:
    assert await supervise(Room().context, payload(JobKind.SUPERVISE, 3)) is JobResult.MOOT
