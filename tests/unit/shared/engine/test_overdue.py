from datetime import timedelta

import pytest

from shared.contracts.tasks import TaskKind
from shared.engine.overdue import HandedOver, marked
from tests.fakes.counselling import NOW, session
from tests.fakes.engine import SmallHouse

LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def house():
    """Supervision is due from the third message on, the closing from the sixth."""

    class Counting(SmallHouse):
        def overdue(self, state):
            self.due_kinds = [TaskKind.SUPERVISE] * (state.message_count >= 3) + [TaskKind.CLOSE] * (
                state.message_count >= 6
            )
            return super().overdue(state)

    return Counting()


def at(messages, **more):
    return session(message_count=messages, **more)


def test_work_that_falls_due_is_marked_with_the_time(house):
    assert marked(house, at(2), at(3), NOW).due_since == NOW


def test_a_mark_keeps_its_time_while_the_work_is_due(house):
    assert marked(house, at(3), at(4, due_since=NOW), LATER).due_since == NOW


def test_a_mark_goes_when_nothing_is_due_any_more(house):
    assert marked(house, at(3), at(0, due_since=NOW), LATER).due_since is None


def test_work_that_was_handed_over_stays_unmarked_though_it_is_not_done(house):
    before = at(3, due_since=NOW)
    after = HandedOver().apply(before, LATER)

    assert marked(house, before, after, LATER).due_since is None
    assert marked(house, after, at(3), LATER).due_since is None


def test_new_work_marks_a_session_again_whose_older_work_was_handed_over(house):
    assert marked(house, at(5), at(6), LATER).due_since == LATER
