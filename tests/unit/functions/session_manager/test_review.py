"""Reviews, delivered as queues deliver them."""

import pytest

from functions.session_manager.review import review
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.engine.jobs import JobResult
from tests.builders.reviews import COVERED, CRISIS, JOB, PART2, SAID, finding, reviewed, to_review
from tests.builders.sessions import task

PROPOSED = WrapUp(stage=WrapUpStage.PROPOSED, seq=5)
CLOSING = {"current_part": Part.CLOSING, "status": SessionStatus.WRAPPING_UP}


async def test_only_goals_with_evidence_that_was_said_count_as_met():
    met = {"rapport": SAID[0], "information": "발표가 너무 무서워요", "goal_setting": "승진하고 싶어요"}
    room, record = await reviewed(finding(met | {"trust": "조금 더 들려주시겠어요"}))
    assert (record["completion_score"], record["missing_goals"]) == (0.75, ["goal_setting"])
    assert (record["recommendation"], record["corrected"]) == ("continue", ["evidence_not_said"])
    assert (record["goals_met"], record["first_session_goals_met"]) == (False, False)
    state = await room.session()
    assert state.watermarks.reviewed == 5
    assert state.session_manager_log[-1].data["met"] == ["rapport", "information", "trust"]


@pytest.mark.parametrize("words", ["죽고 싶다는 생각이 들어요", "I just want to die"])
async def test_words_of_a_crisis_are_evidence_for_information_but_not_for_goal_setting(words):
    room, _ = await reviewed(finding({"information": words, "goal_setting": words}), said=(*SAID[1:], words))
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
async def test_an_advised_wrap_up_is_suggested_except_in_risk_closing_planning_or_once_proposed(fields, suggested):
    room, record = await reviewed(finding(wrap_up_advised=True), **(PART2 | fields))
    state = await room.session()
    assert record["recommendation"] == ("wrap_up" if suggested else "continue")
    assert state.session_manager_log[-1].data["recommendation"] == record["recommendation"]
    if suggested:
        assert (state.wrap_up.stage, state.status) == (WrapUpStage.SUGGESTED, SessionStatus.ACTIVE)
    else:
        assert state.wrap_up == fields.get("wrap_up")


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
async def test_a_completed_part_two_suggests_no_wrap_up_in_risk_once_proposed_or_with_open_tasks(tasks, fields):
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
async def test_review_feedback_asks_the_planner_except_in_risk_closing_or_at_the_replan_limit(fields, asked):
    room, _ = await reviewed(finding(feedback_to_task_planner="과제가 목표와 어긋난다"), **(PART2 | fields))
    assert (await room.session()).replans == asked
    assert await room.records("planner_feedback") == ({"5-part_manager"} if asked else set())


@pytest.mark.parametrize(("wrap_up", "expected"), [(WrapUp(stage=WrapUpStage.AGREED), "complete"), (None, "continue")])
async def test_complete_is_recommended_only_after_the_user_agreed_to_the_wrap_up(wrap_up, expected):
    closing = task("task_summary_1", Part.CLOSING, status=TaskStatus.SUFFICIENT)
    _, record = await reviewed(finding(), closing, wrap_up=wrap_up, **CLOSING)
    assert record["recommendation"] == expected


async def test_a_crisis_during_the_model_call_prevents_the_wrap_up():
    room = await to_review(finding(wrap_up_advised=True, part2_completed=True), **PART2)
    room.model.meanwhile = lambda: room.change(risk=CRISIS)
    assert await review(room.context, JOB) is JobResult.DONE
    assert ((await room.session()).wrap_up, await room.records("part_transitions")) == (None, set())
