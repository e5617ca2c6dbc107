"""Asking for another plan, and what becomes of the asking."""

from itertools import product

import pytest

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS, Work, awaits_planner, due_work, plan_asked_seq
from shared.domain.counseling.records import FeedbackSource, FeedbackStatus
from shared.domain.counseling.replanning import (
    REASON_LENGTH,
    ReplansAnswered,
    feedback,
    may_be_revised,
    may_replan,
    waits_in_part2,
)
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part, TaskStatus
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.counselling import NOW, session, task

PART2 = {"current_part": Part.EXPLORATION, "plan_status": "ready"}
CRISIS = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)


@pytest.mark.parametrize("status", [FeedbackStatus.APPLIED, FeedbackStatus.SUPERSEDED])
def test_feedback_keeps_its_reason_within_bounds_and_waits_until_it_is_dealt_with(status):
    found = feedback(session(), FeedbackSource.SUPERVISOR, kind="circular", reason="가" * 900, seq=7, at=NOW)
    assert (found.record_id, found.status, found.pending) == ("7-supervisor", "pending", True)
    assert len(found.reason) == REASON_LENGTH
    after = found.became(status)
    assert (after.status, after.pending) == (status.value, False)
    assert after.model_copy(update={"status": "pending"}) == found


def test_the_oldest_asking_that_waits_tells_since_when():
    first = ReplanAsked().apply(session(seq=4, **PART2), NOW)
    second = ReplanAsked().apply(first.model_copy(update={"seq": 6}), NOW)
    assert (second.replans, second.replan_seq) == (2, 4)


@pytest.mark.parametrize(("answered", "left", "since"), [(2, 0, None), (1, 1, 9), (5, 0, None)])
def test_what_was_answered_is_counted_off_and_what_came_meanwhile_waits_on(answered, left, since):
    before = session(seq=9, replans=2, replan_seq=4, replan_rounds=3, **PART2)
    after = ReplansAnswered(answered=answered).apply(before, NOW)
    assert (after.replans, after.replan_seq, after.replan_rounds) == (left, since, 4)


@pytest.mark.parametrize(
    ("more", "asked", "revised"),
    [
        ({}, True, True),
        ({"current_part": Part.OPENING}, False, False),
        ({"current_part": Part.CLOSING}, False, False),
        ({"plan_status": "planning"}, False, True),
        ({"status": "completed"}, False, False),
        ({"risk": CRISIS}, False, True),
        ({"replans": PART2_MAX_REPLANS}, False, True),
        ({"part2_task_update_count": PART2_MAX_REPLANS}, False, True),
    ],
)
def test_another_plan_may_be_asked_for_in_a_planned_part_2_and_made_until_that_is_over(more, asked, revised):
    state = session(**PART2 | more)
    assert (may_replan(state), may_be_revised(state)) == (asked, revised)


def test_only_what_waits_in_part_2_is_replaced():
    for status, part in product(TaskStatus, Part):
        assert waits_in_part2(task(part=part, status=status)) is (part == 2 and status == "pending"), (status, part)


@pytest.mark.parametrize(
    ("more", "awaits", "since"),
    [
        ({}, False, 0),
        ({"plan_status": "planning", "planning_seq": 5}, True, 5),
        ({"plan_status": "planning", "planning_seq": 5, "status": "completed"}, False, 0),
        ({"replans": 1, "replan_seq": 8, **PART2}, True, 8),
        ({"replans": 1, "replan_seq": 8, "status": "completed"}, True, 8),
        ({"replans": 1, **PART2}, True, 0),
    ],
)
def test_the_planner_has_work_while_a_plan_is_made_or_feedback_waits(more, awaits, since):
    state = session(seq=8, **more)
    assert (awaits_planner(state), plan_asked_seq(state)) == (awaits, since)


def test_the_event_has_a_turns_time_before_the_work_is_due():
    asked = {"replans": 1, "replan_seq": 8, **PART2}
    assert [Work.PLAN in due_work(session(seq=seq, **asked)) for seq in (8, 9)] == [False, True]
