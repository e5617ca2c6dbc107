from datetime import timedelta

import pytest

from shared.contracts.tasks import JobKind
from shared.engine.overdue import marked
from tests.fakes.counselling import NOW, session
from tests.fakes.engine import SmallHouse

LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def policy():
    """Supervision is due from the third message on."""

    class Counting(SmallHouse):
        def overdue(self, state):
            self.due_kinds = [JobKind.SUPERVISE] * (state.message_count >= 3)
            return super().overdue(state)

    return Counting()


def at(messages, **more):
    return session(message_count=messages, **more)


def test_work_that_falls_due_is_marked_with_the_time(policy):
    assert marked(policy, at(0), at(3), NOW).due_since == NOW


def test_a_mark_keeps_its_time_while_the_work_is_due(policy):
    assert marked(policy, at(0), at(4, due_since=NOW), LATER).due_since == NOW


def test_a_mark_goes_when_nothing_is_due_any_more(policy):
    assert marked(policy, at(0), at(0, due_since=NOW), LATER).due_since is None


def test_the_pauses_of_old_work_do_not_hold_for_new_work(policy):
    later = LATER + timedelta(days=1)
    new = marked(policy, at(0, swept=6), at(3, due_since=later, swept=6), NOW)
    assert (new.due_since, new.swept) == (NOW, 0)
    old = marked(policy, at(3, swept=6), at(3, due_since=later, swept=6), NOW)
    assert (old.due_since, old.swept) == (later, 6)
