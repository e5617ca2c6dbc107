"""When work fell due, and whether it still is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.due import fell_due, heard_upto, still_due
from shared.domain.counseling.lifecycle import PLAN_EVERY, Work, due_work
from shared.domain.counseling.session import PlanStatus, SessionStatus, Watermarks
from tests.fakes.counselling import session


def test_work_that_waits_keeps_the_turn_at_which_it_fell_due_until_the_next_period() -> None:
    assert {
        turn: got
        for turn, seq in ((3, 3), (4, 3), (5, 3), (6, 6), (8, 6), (9, 9))
        if (got := fell_due(session(seq=turn, message_count=turn), Work.SUPERVISE)) != seq
    } == {}


def test_the_next_period_begins_at_the_watermark() -> None:
    state = session(seq=12, message_count=12, watermarks=Watermarks(reviewed=6))
    assert fell_due(state, Work.REVIEW) == 11


def test_turns_are_counted_back_from_the_newest() -> None:
    state = session(seq=9, message_count=7, watermarks=Watermarks(supervised=3))
    assert fell_due(state, Work.SUPERVISE) == 8
    assert heard_upto(state, 8) == 6


def test_a_lost_plan_is_asked_for_once_in_so_many_turns() -> None:
    def seqs(turns: range) -> set[int]:
        waiting = {"plan_status": PlanStatus.PLANNING, "planning_seq": 4}
        return {fell_due(session(seq=turn, message_count=turn, **waiting), Work.PLAN) for turn in turns}

    assert seqs(range(5, 5 + PLAN_EVERY)) == {5}
    assert seqs(range(5, 5 + 2 * PLAN_EVERY)) == {5, 5 + PLAN_EVERY}


def test_lost_feedback_is_asked_for_once_in_so_many_turns() -> None:
    def seqs(turns: range) -> set[int]:
        waiting = {"current_part": 2, "plan_status": PlanStatus.READY, "replans": 1, "replan_seq": 4}
        return {fell_due(session(seq=turn, message_count=turn, **waiting), Work.PLAN) for turn in turns}

    assert seqs(range(5, 5 + PLAN_EVERY)) == {5}
    assert seqs(range(5, 5 + 2 * PLAN_EVERY)) == {5, 5 + PLAN_EVERY}


def test_feedback_that_waits_is_due_at_once_where_the_session_has_ended(subtests: pytest.Subtests) -> None:
    for status in SessionStatus:
        for seq in (4, 9):
            with subtests.test(status=status, seq=seq):
                state = session(seq=seq, message_count=seq, status=status, replans=1, replan_seq=4)
                if Work.PLAN in due_work(state):
                    assert still_due(state, Work.PLAN, fell_due(state, Work.PLAN))
                assert (Work.PLAN in due_work(state)) is (state.ended or seq > 4)


@given(
    st.integers(0, 60),
    st.integers(0, 60),
    st.builds(Watermarks, supervised=st.integers(0, 60), reviewed=st.integers(0, 60), summarized=st.integers(0, 60)),
    st.sampled_from(SessionStatus),
    st.sampled_from(PlanStatus),
    st.booleans(),
)
def test_what_is_due_is_still_due_when_its_task_arrives_at_once(
    seq: int, fewer: int, marks: Watermarks, status: SessionStatus, plan: PlanStatus, closed: bool
) -> None:
    state = session(
        seq=seq,
        message_count=max(0, seq - fewer),
        watermarks=marks,
        status=status,
        plan_status=plan,
        closing_made=closed,
    )
    for work in due_work(state):
        assert 0 <= fell_due(state, work) <= state.seq
        assert still_due(state, work, fell_due(state, work))


def test_a_closing_that_is_made_is_due_no_more() -> None:
    ended = session(status=SessionStatus.COMPLETED, seq=2, message_count=2)
    assert still_due(ended, Work.CLOSE, 0)
    assert not still_due(ended.model_copy(update={"closing_made": True}), Work.CLOSE, 0)


def test_a_plan_that_is_there_is_due_no_more() -> None:
    assert still_due(session(seq=3, plan_status=PlanStatus.PLANNING), Work.PLAN, 3)
    assert not still_due(session(seq=3, plan_status=PlanStatus.READY), Work.PLAN, 3)
