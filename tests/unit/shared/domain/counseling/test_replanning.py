"""Asking for another plan, and what becomes of the asking."""

import pytest

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.replanning import (
    ReplansAnswered,
    may_be_revised,
    may_replan,
)
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.builders.sessions import NOW, session

PART2 = {"current_part": Part.EXPLORATION, "plan_status": "ready"}
CRISIS = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)


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
