"""Reviews, delivered as queues deliver them."""

import asyncio

import pytest

from functions.session_manager.findings import SessionReview
from functions.session_manager.review import review
from shared.contracts.tasks import JobKind
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS, Work, overdue_work
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.engine.jobs import JobResult
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.fakes.answers import session_review
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import session, task

SAID = ("저는 민지예요", "회사에서 발표가 너무 무서워요", "사람들 앞에만 서면 떨려요", "네", "덜 떨고 싶어요")
JOB = payload(JobKind.REVIEW, 5)
COVERED = task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT)
PART2 = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_goal": "발표의 떨림을 이해한다"}
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=4, last_seq=4)


GOALS = ("rapport", "information", "goal_setting", "trust")
ALL_MET = {
    "rapport": "저는 민지예요",
    "information": "발표가 너무 무서워요",
    "goal_setting": "덜 떨고 싶어요",
    "trust": "조금 더 들려주시겠어요",
}


def found(met: dict[str, str] | None = None, **more: object) -> SessionReview:
    """An answer in which the goals of `met` are met, with that evidence, and the others are not."""
    shown = met or {}
    goals = [
        {"goal": goal, "met": goal in shown, "evidence": shown.get(goal, ""), "answer": "덜 떨고 싶어요"}
        for goal in GOALS
    ]
    return session_review(**{"goals": goals, **more})


async def reviewed(answer: object, *tasks: object, **fields: object) -> Room:
    room = Room({"session_manager": answer})
    await room.open(session(*(tasks or (COVERED,)), **fields), SAID)
    return room


async def test_goals_are_counted_by_code_from_what_was_really_said() -> None:
    room = await reviewed(found(ALL_MET | {"goal_setting": "승진하고 싶어요"}))
    assert await review(room.context, JOB) is JobResult.DONE
    record = await room.record("reviews", "5")
    assert (record["completion_score"], record["missing_goals"]) == (0.75, ["goal_setting"])
    assert record["recommendation"] == "continue"
    assert (record["goals_met"], record["first_session_goals_met"]) == (False, False)
    assert record["corrected"] == ["evidence_not_said"]
    state = await room.session()
    assert state.watermarks.reviewed == 5
    assert state.session_manager_log[-1].data["met"] == ["rapport", "information", "trust"]


@pytest.mark.parametrize("words", ["죽고 싶다는 생각이 들어요", "I just want to die"])
async def test_words_of_a_crisis_show_trouble_and_set_no_goal(words: str) -> None:
    room = Room({"session_manager": found({"information": words, "goal_setting": words})})
    await room.open(session(COVERED), (*SAID[1:], words))
    await review(room.context, JOB)
    assert (await room.session()).session_manager_log[-1].data["met"] == ["information"]


async def test_the_counsellors_words_show_no_goal_of_the_users() -> None:
    room = await reviewed(found({"rapport": "조금 더 들려주시겠어요", "information": ""}))
    await review(room.context, JOB)
    assert (await room.session()).session_manager_log[-1].data["completion_score"] == 0


async def test_a_wrap_up_is_only_suggested() -> None:
    room = await reviewed(found(wrap_up_advised=True), **PART2)
    await review(room.context, JOB)
    state = await room.session()
    assert state.wrap_up is not None
    assert (state.wrap_up.stage, state.status) == (WrapUpStage.SUGGESTED, SessionStatus.ACTIVE)
    assert state.session_manager_log[-1].data["recommendation"] == "wrap_up"


async def test_no_wrap_up_is_suggested_when_it_must_not_be(subtests: pytest.Subtests) -> None:
    cases = [
        {"risk": CRISIS},
        {"current_part": Part.CLOSING, "status": SessionStatus.WRAPPING_UP},
        {"wrap_up": WrapUp(stage=WrapUpStage.DECLINED, seq=2, declined=1)},
        {"wrap_up": WrapUp(stage=WrapUpStage.PROPOSED, seq=5)},
        {"plan_status": PlanStatus.PLANNING, "current_part": Part.OPENING},
    ]
    for fields in cases:
        with subtests.test(fields=fields):
            room = await reviewed(found(wrap_up_advised=True), **(PART2 | fields))
            before = (await room.session()).wrap_up
            assert await review(room.context, JOB) is JobResult.DONE
            state = await room.session()
            assert (state.wrap_up, state.session_manager_log[-1].data["recommendation"]) == (before, "continue")


async def test_a_completed_part_two_is_suggested_to_be_closed_and_left_by_the_user_alone() -> None:
    room = await reviewed(found(part2_completed=True, reason="스스로 정리했다"), **PART2)
    await review(room.context, JOB)
    assert not await room.records("part_transitions")
    state = await room.session()
    assert state.current_part is Part.EXPLORATION
    assert state.wrap_up is not None
    assert (state.wrap_up.stage, state.wrap_up.reason) == (WrapUpStage.SUGGESTED, "goal_reached")
    assert Work.PLAN not in overdue_work(state)


async def test_leaving_part_two_is_not_suggested_when_it_must_not_be(subtests: pytest.Subtests) -> None:
    cases = [
        {"risk": CRISIS},
        {"current_part": Part.OPENING, "plan_status": PlanStatus.NONE},
        {"wrap_up": WrapUp(stage=WrapUpStage.PROPOSED, seq=5)},
        {"tasks": (task("task_part2_1", Part.EXPLORATION),)},
        {"tasks": (COVERED, task("task_part2_2", Part.EXPLORATION))},
    ]
    for fields in cases:
        with subtests.test(fields=fields):
            room = await reviewed(
                found(part2_completed=True), **(PART2 | {k: v for k, v in fields.items() if k != "tasks"})
            )
            if "tasks" in fields:
                await room.change(tasks=fields["tasks"])
            before = (await room.session()).wrap_up
            assert await review(room.context, JOB) is JobResult.DONE
            assert (await room.session()).wrap_up == before


async def test_a_transition_under_way_is_not_asked_for_twice() -> None:
    agreed = WrapUp(stage=WrapUpStage.AGREED, seq=4)
    fields = PART2 | {"wrap_up": agreed, "status": SessionStatus.WRAPPING_UP, "leaving_seq": 5}
    room = await reviewed(found(part2_completed=True, wrap_up_advised=True), **fields)
    assert await review(room.context, JOB) is JobResult.DONE
    assert (await room.session()).wrap_up == agreed


async def test_a_goal_out_of_reach_asks_the_planner(subtests: pytest.Subtests) -> None:
    cases = [
        ({}, 1),
        ({"risk": CRISIS}, 0),
        ({"part2_task_update_count": PART2_MAX_REPLANS}, 0),
        ({"current_part": Part.CLOSING}, 0),
    ]
    for fields, asked in cases:
        with subtests.test(fields=fields, asked=asked):
            room = await reviewed(found(feedback_to_task_planner="과제가 목표와 어긋난다"), **(PART2 | fields))
            await review(room.context, JOB)
            assert (await room.session()).replans == asked
            assert await room.records("planner_feedback") == ({"5-part_manager"} if asked else set())


async def test_complete_is_recommended_only_after_agreement_and_a_covered_closing() -> None:
    closing = task("task_summary_1", Part.CLOSING, status=TaskStatus.SUFFICIENT)
    agreed = WrapUp(stage=WrapUpStage.AGREED)
    for wrap_up, expected in ((agreed, "complete"), (None, "continue")):
        room = await reviewed(
            found(), closing, current_part=Part.CLOSING, status=SessionStatus.WRAPPING_UP, wrap_up=wrap_up
        )
        await review(room.context, JOB)
        assert (await room.session()).session_manager_log[-1].data["recommendation"] == expected


async def test_deliveries_at_once_and_again_leave_one_review() -> None:
    room = await reviewed(found(part2_completed=True, wrap_up_advised=True), **PART2)
    results = await asyncio.gather(*(review(room.context, JOB) for _ in range(3)))
    assert results.count(JobResult.DONE) == 1
    before = await room.documents()
    assert await review(room.context, JOB) is JobResult.MOOT
    assert await room.documents() == before
    assert await room.records("reviews") == {"5"}


async def test_a_failing_model_leaves_nothing_and_the_work_due() -> None:
    room = await reviewed(ModelUnavailable("down"))
    before = await room.essence()
    assert await review(room.context, JOB) is JobResult.RETRY
    assert await room.essence() == before
    assert not await room.records("reviews")
    assert (await room.session()).budget.background_calls == 1


async def test_a_crisis_that_comes_meanwhile_stops_the_wrap_up() -> None:
    room = await reviewed(found(wrap_up_advised=True, part2_completed=True), **PART2)
    room.model.meanwhile = lambda: room.change(risk=CRISIS)
    assert await review(room.context, JOB) is JobResult.DONE
    assert (await room.session()).wrap_up is None
    assert not await room.records("part_transitions")


async def test_an_ended_or_erased_session_is_left_alone() -> None:
    room = await reviewed(found(), status=SessionStatus.COMPLETED)
    assert await review(room.context, JOB) is JobResult.MOOT
    erased = await reviewed(found())
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await review(erased.context, JOB) is JobResult.MOOT
    assert not await erased.documents()
