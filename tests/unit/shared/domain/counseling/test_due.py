import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.background_events import Reviewed
from shared.domain.counseling.due import fell_due, heard_upto, still_due
from shared.domain.counseling.lifecycle import (
    PLAN_EVERY,
    REVIEW_AFTER_REPLAN,
    REVIEW_EVERY,
    Work,
    due_work,
    replanned_unseen,
)
from shared.domain.counseling.session import PlanStatus, SessionStatus, Watermarks
from shared.domain.counseling.task_events import TaskCovered
from tests.builders.sessions import NOW, session, task


def at(turn, **more):
    return session(seq=turn, message_count=turn, **more)


def review_due(state):
    return Work.REVIEW in due_work(state)


def test_work_that_waits_keeps_the_turn_at_which_it_fell_due_until_the_next_period():
    turns = {3: 3, 4: 3, 5: 3, 6: 6, 8: 6, 9: 9}
    assert {turn: fell_due(at(turn), Work.SUPERVISE) for turn in turns} == turns
    assert [still_due(at(turn), Work.SUPERVISE, turn) for turn in (2, 3)] == [False, True]
    assert fell_due(at(12, watermarks=Watermarks(reviewed=6)), Work.REVIEW) == 11, "a period begins at the watermark"


@pytest.mark.parametrize(
    "waiting",
    [
        {"plan_status": "planning", "planning_seq": 4},
        {"current_part": 2, "plan_status": "ready", "replans": 1, "replan_seq": 4},
    ],
    ids=["a plan", "feedback"],
)
def test_lost_planner_work_falls_due_again_after_a_fixed_number_of_turns(waiting):
    fell = [fell_due(at(turn, **waiting), Work.PLAN) for turn in range(5, 5 + 2 * PLAN_EVERY)]
    assert fell == [5] * PLAN_EVERY + [5 + PLAN_EVERY] * PLAN_EVERY


turns = st.integers(0, 60)


@given(
    seq=turns,
    fewer=turns,
    marks=st.builds(Watermarks, supervised=turns, reviewed=turns, summarized=turns),
    more=st.fixed_dictionaries(
        {
            "current_part": st.sampled_from([1, 2]),
            "replanned_seq": st.none() | turns,
            "status": st.sampled_from(SessionStatus),
            "plan_status": st.sampled_from(PlanStatus),
            "closing_made": st.booleans(),
        }
    ),
)
def test_due_work_is_still_due_when_its_task_is_delivered_at_once(seq, fewer, marks, more):
    state = session(seq=seq, message_count=max(0, seq - fewer), watermarks=marks, **more)
    for work in due_work(state):
        assert 0 <= fell_due(state, work) <= state.seq
        assert still_due(state, work, fell_due(state, work))


def test_finished_work_is_no_longer_due():
    ended = at(2, status=SessionStatus.COMPLETED)
    assert still_due(ended, Work.CLOSE, 0)
    assert not still_due(ended.model_copy(update={"closing_made": True}), Work.CLOSE, 0)
    assert still_due(session(seq=3, plan_status=PlanStatus.PLANNING), Work.PLAN, 3)
    assert not still_due(session(seq=3, plan_status=PlanStatus.READY), Work.PLAN, 3)


class TestAReviewAfterAReplan:
    """A re-plan brings the review forward once, as a separate task."""

    def at(self, turn, *, reviewed=5, replanned=5, **more):
        fields = {"current_part": 2, "watermarks": Watermarks(reviewed=reviewed), "replanned_seq": replanned}
        return at(turn, **(fields | more))

    def test_is_due_two_turns_later_under_one_name_until_the_next_whole_period(self):
        assert [review_due(self.at(turn)) for turn in range(5, 9)] == [False, False, True, True]
        assert {fell_due(self.at(turn), Work.REVIEW) for turn in range(5 + REVIEW_AFTER_REPLAN, 10)} == {7}
        assert [fell_due(self.at(turn), Work.REVIEW) for turn in (10, 14, 15)] == [10, 10, 15]
        made = [turn for turn in range(7, 7 + 2 * REVIEW_EVERY) if review_due(self.at(turn, reviewed=7))]
        assert made == list(range(7 + REVIEW_EVERY, 17)), "not due again before the next whole period"

    def test_is_not_due_without_a_plan_to_review(self):
        none = ({"current_part": 3}, {"replanned": None}, {"status": "completed"})
        assert [more for more in none if review_due(self.at(8, **more))] == []

    def test_is_due_and_still_due_after_few_messages(self):
        state = self.at(4, reviewed=0, replanned=2)
        assert review_due(state)
        assert still_due(state, Work.REVIEW, fell_due(state, Work.REVIEW))

    def test_has_seen_the_replan_when_it_covers_a_later_message(self):
        assert replanned_unseen(self.at(9, reviewed=5))
        assert not replanned_unseen(self.at(9, reviewed=6))


class TestAReviewOfACoveredPart2:
    """Part 2's last task was covered in turn 12; the newest review was two messages before."""

    before = at(
        12,
        tasks=(task("a", 2, status="sufficient"), task("b", 2, status="in_progress"), task("aside", 2, parked=True)),
        current_part=2,
        plan_status="ready",
        watermarks=Watermarks(reviewed=10, supervised=12, summarized=12),
    )
    covered = TaskCovered(task_id="b", reason="judged", seq=12).apply(before, NOW)

    def later(self, state, turns, **more):
        return state.model_copy(update={"seq": 12 + turns, "message_count": 12 + turns, **more})

    def test_is_due_at_once_and_keeps_its_turn_until_it_is_done(self):
        assert still_due(self.covered, Work.REVIEW, 12)
        for state in (self.covered, self.later(self.covered, 2)):
            assert (review_due(state), fell_due(state, Work.REVIEW)) == (True, 12)
        made = Reviewed(seq=12, upto=heard_upto(self.covered, 12), gist={}).apply(self.covered, NOW)
        assert not review_due(made)
        assert review_due(self.later(made, REVIEW_EVERY))

    def test_is_not_due_while_a_task_waits_or_outside_part_2(self):
        for status in ("pending", "in_progress"):
            tasks = (task("b", 2, status="sufficient"), task("c", 2, status=status))
            assert not review_due(self.later(self.covered, 0, tasks=tasks))
        assert not review_due(self.later(self.covered, 0, current_part=3))
