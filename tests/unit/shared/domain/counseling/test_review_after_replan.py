"""A re-plan brings the review forward: once, under a name of its own."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.due import fell_due, still_due
from shared.domain.counseling.lifecycle import REVIEW_AFTER_REPLAN, REVIEW_EVERY, Work, due_work, replanned_unseen
from shared.domain.counseling.session import Watermarks
from tests.fakes.counselling import session


def at(turn, *, reviewed=5, replanned=5, **more):
    fields = {"current_part": 2, "watermarks": Watermarks(reviewed=reviewed), "replanned_seq": replanned}
    return session(seq=turn, message_count=turn, **(fields | more))


def due(state):
    return Work.REVIEW in due_work(state)


def test_two_turns_behind_a_replan_a_review_is_due():
    assert [due(at(turn)) for turn in range(5, 9)] == [False, False, True, True]


def test_its_name_stays_the_same_until_the_next_whole_period():
    turns = range(5 + REVIEW_AFTER_REPLAN, 16)
    assert {fell_due(at(turn), Work.REVIEW) for turn in turns if turn < 10} == {7}
    assert [fell_due(at(turn), Work.REVIEW) for turn in (10, 14, 15)] == [10, 10, 15]


def test_made_it_is_due_no_more_before_the_next_whole_period():
    turns = range(7, 7 + 2 * REVIEW_EVERY)
    assert [turn for turn in turns if due(at(turn, reviewed=7))] == list(range(7 + REVIEW_EVERY, 17))


def test_a_review_behind_the_replan_has_seen_it():
    assert not replanned_unseen(at(9, reviewed=6))
    assert replanned_unseen(at(9, reviewed=5))


def test_without_a_plan_to_look_at_it_is_not_due():
    assert [
        more for more in ({"current_part": 3}, {"replanned": None}, {"status": "completed"}) if due(at(8, **more))
    ] == []


def test_messages_that_are_fewer_than_turns_are_counted_back():
    state = at(9, reviewed=3, replanned=6).model_copy(update={"message_count": 6})
    assert replanned_unseen(state)
    assert due(state)


def test_an_early_one_is_still_due_though_few_messages_were_heard():
    state = at(4, reviewed=0, replanned=2)
    assert due(state)
    assert still_due(state, Work.REVIEW, fell_due(state, Work.REVIEW))


@given(
    seq=st.integers(0, 60),
    fewer=st.integers(0, 60),
    reviewed=st.integers(0, 60),
    replanned=st.none() | st.integers(0, 60),
)
def test_what_is_due_is_still_due_when_its_task_arrives_at_once(seq, fewer, reviewed, replanned):
    state = session(
        seq=seq,
        message_count=max(0, seq - fewer),
        current_part=2,
        watermarks=Watermarks(reviewed=reviewed),
        replanned_seq=replanned,
    )
    if due(state):
        fell = fell_due(state, Work.REVIEW)
        assert 0 <= fell <= state.seq
        assert still_due(state, Work.REVIEW, fell)
