import pytest

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.replanning import ReplansAnswered, may_be_revised, may_replan
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.builders.sessions import NOW, session

PART2 = {"current_part": Part.EXPLORATION, "plan_status": "ready"}
CRISIS = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)


def test_the_oldest_waiting_request_sets_the_turn_of_the_replan():
    first = ReplanAsked().apply(session(seq=4, **PART2), NOW)
    second = ReplanAsked().apply(first.model_copy(update={"seq": 6}), NOW)
    assert (second.replans, second.replan_seq) == (2, 4)


@pytest.mark.parametrize(("answered", "left", "since"), [(2, 0, None), (1, 1, 9), (5, 0, None)])
def test_answered_requests_are_subtracted_and_later_ones_keep_waiting(answered, left, since):
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
def test_a_replan_may_be_requested_in_a_planned_part_2_and_made_until_part_2_ends(more, asked, revised):
    state = session(**PART2 | more)
    assert (may_replan(state), may_be_revised(state)) == (asked, revised)
