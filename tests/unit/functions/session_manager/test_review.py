"""Reviews, delivered as queues deliver them."""

import pytest

from functions.session_manager.review import review
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS, Work, overdue_work
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.engine.jobs import JobResult
from tests.builders.job_room import ID
from tests.builders.reviews import (
    COVERED,
    CRISIS,
    EXPLAINED,
    EXPLAINED_AT,
    JOB,
    PART2,
    PROCESS,
    SAID,
    asking,
    finding,
    reviewed,
    to_review,
)
from tests.builders.sessions import task

PROPOSED = WrapUp(stage=WrapUpStage.PROPOSED, seq=5)
CLOSING = {"current_part": Part.CLOSING, "status": SessionStatus.WRAPPING_UP}


async def test_goals_are_counted_by_code_from_what_was_really_said():
    met = {"rapport": SAID[0], "information": "발표가 너무 무서워요", "goal_setting": "승진하고 싶어요"}
    room, record = await reviewed(finding(met | {"trust": EXPLAINED}))
    assert (record["completion_score"], record["missing_goals"]) == (0.75, ["goal_setting"])
    assert (record["recommendation"], record["corrected"]) == ("continue", ["evidence_not_said"])
    assert (record["goals_met"], record["first_session_goals_met"]) == (False, False)
    state = await room.session()
    assert state.watermarks.reviewed == 5
    assert state.session_manager_log[-1].data["met"] == ["rapport", "information", "trust"]


@pytest.mark.parametrize("quote", ["회사에서 발표가 너무 무서워요", "조금 더 들려주시겠어요", "마음에 걸리세요?"])
async def test_the_goal_of_an_explanation_is_never_met_by_a_quote_of_the_intake(quote):
    _, record = await reviewed(finding({"trust": quote}))
    assert (record["missing_goals"][-1], record["corrected"]) == ("trust", ["evidence_not_said"])


async def test_an_explanation_that_no_turn_of_its_task_gave_shows_nothing():
    room = await to_review(finding({"trust": EXPLAINED}))
    await room.turn(EXPLAINED_AT, asking(PROCESS).model_copy(update={"task_id": COVERED.id}))
    assert await review(room.context, JOB) is JobResult.DONE
    assert (await room.session()).session_manager_log[-1].data["met"] == []


@pytest.mark.parametrize("given", [{}, {"process_agreed": False}])
async def test_an_explanation_that_the_user_did_not_agree_to_shows_nothing(given):
    _, record = await reviewed(finding({"trust": EXPLAINED}), user_info=given)
    assert (record["missing_goals"][-1], record["corrected"]) == ("trust", ["evidence_not_said"])


async def test_what_another_service_was_asked_shows_nothing_of_the_session():
    room = await to_review(finding({"rapport": SAID[0], "information": SAID[1]}))
    await room.turn(1, flow="agreement")
    assert await review(room.context, JOB) is JobResult.DONE
    assert (await room.session()).session_manager_log[-1].data["met"] == ["information"]


@pytest.mark.parametrize("words", ["죽고 싶다는 생각이 들어요", "I just want to die"])
async def test_words_of_a_crisis_show_trouble_and_set_no_goal(words):
    both = finding({"information": words, "goal_setting": words})
    room, _ = await reviewed(both, said=(*SAID[1:], words), set_aside=(len(SAID),))
    assert (await room.session()).session_manager_log[-1].data["met"] == ["information"]


@pytest.mark.parametrize(
    ("fields", "suggested"),
    [
        ({}, True),
        ({"risk": CRISIS}, False),
        (CLOSING, False),
        ({"wrap_up": WrapUp(stage=WrapUpStage.DECLINED, seq=2, declined=1)}, False),
        ({"wrap_up": PROPOSED}, False),
        ({"plan_status": PlanStatus.PLANNING, "current_part": Part.OPENING}, False),
    ],
)
async def test_a_wrap_up_is_only_suggested_and_not_when_it_must_not_be(fields, suggested):
    room, record = await reviewed(finding(wrap_up_advised=True), **(PART2 | fields))
    state = await room.session()
    assert record["recommendation"] == ("wrap_up" if suggested else "continue")
    assert state.session_manager_log[-1].data["recommendation"] == record["recommendation"]
    if suggested:
        assert (state.wrap_up.stage, state.status) == (WrapUpStage.SUGGESTED, SessionStatus.ACTIVE)
    else:
        assert state.wrap_up == fields.get("wrap_up")


async def test_a_completed_part_two_is_suggested_to_be_closed_and_left_by_the_user_alone():
    room, _ = await reviewed(finding(part2_completed=True, reason="스스로 정리했다"), **PART2)
    state = await room.session()
    assert (await room.records("part_transitions"), state.current_part) == (set(), Part.EXPLORATION)
    assert (state.wrap_up.stage, state.wrap_up.reason) == (WrapUpStage.SUGGESTED, "goal_reached")
    assert Work.PLAN not in overdue_work(state)


AGREED = {"wrap_up": WrapUp(stage=WrapUpStage.AGREED, seq=4), "status": SessionStatus.WRAPPING_UP, "leaving_seq": 5}


@pytest.mark.parametrize(
    ("tasks", "fields"),
    [
        ((), {"risk": CRISIS}),
        ((), {"current_part": Part.OPENING, "plan_status": PlanStatus.NONE}),
        ((), {"wrap_up": PROPOSED}),
        ((), AGREED),
        ((task("task_part2_1", Part.EXPLORATION),), {}),
        ((COVERED, task("task_part2_2", Part.EXPLORATION)), {}),
    ],
)
async def test_leaving_part_two_is_not_suggested_when_it_must_not_be_nor_asked_for_twice(tasks, fields):
    room, _ = await reviewed(finding(part2_completed=True), *tasks, **(PART2 | fields))
    assert (await room.session()).wrap_up == fields.get("wrap_up")


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({}, 1),
        ({"risk": CRISIS}, 0),
        ({"part2_task_update_count": PART2_MAX_REPLANS}, 0),
        ({"current_part": Part.CLOSING}, 0),
    ],
)
async def test_a_goal_out_of_reach_asks_the_planner(fields, asked):
    room, _ = await reviewed(finding(feedback_to_task_planner="과제가 목표와 어긋난다"), **(PART2 | fields))
    assert (await room.session()).replans == asked
    assert await room.records("planner_feedback") == ({"5-part_manager"} if asked else set())


@pytest.mark.parametrize(("wrap_up", "expected"), [(WrapUp(stage=WrapUpStage.AGREED), "complete"), (None, "continue")])
async def test_complete_is_recommended_only_after_agreement_and_a_covered_closing(wrap_up, expected):
    closing = task("task_summary_1", Part.CLOSING, status=TaskStatus.SUFFICIENT)
    _, record = await reviewed(finding(), closing, wrap_up=wrap_up, **CLOSING)
    assert record["recommendation"] == expected


async def test_a_crisis_that_comes_meanwhile_stops_the_wrap_up():
    room = await to_review(finding(wrap_up_advised=True, part2_completed=True), **PART2)
    room.model.meanwhile = lambda: room.change(risk=CRISIS)
    assert await review(room.context, JOB) is JobResult.DONE
    assert ((await room.session()).wrap_up, await room.records("part_transitions")) == (None, set())


async def test_an_ended_or_erased_session_is_left_alone():
    room = await to_review(finding(), status=SessionStatus.COMPLETED)
    assert await review(room.context, JOB) is JobResult.MOOT
    erased = await to_review(finding())
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await review(erased.context, JOB) is JobResult.MOOT
    assert not await erased.documents()
