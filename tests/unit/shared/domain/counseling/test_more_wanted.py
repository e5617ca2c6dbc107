"""Asked whether to end, the user wants to go on: the task for it."""

import pytest

from shared.domain.counseling.session_events import MoreWanted
from shared.domain.counseling.task import MAX_RETURNS, SufficientReason, TaskStatus
from shared.domain.counseling.task_events import TaskCovered, TaskTurnSpent
from tests.fakes.counselling import NOW, session, task

MORE = MoreWanted(task=task("more", 3, max_turns=6))
COVERED = session(task("last", 3, status="sufficient"), current_part=3)


def test_it_is_in_the_session_and_in_progress():
    after = MORE.apply(COVERED, NOW)
    assert [(one.id, one.status.value) for one in after.tasks] == [("last", "sufficient"), ("more", "in_progress")]
    assert after.current_task == "more"


def test_twice_it_is_there_once():
    once = MORE.apply(COVERED, NOW)
    assert MORE.apply(once, NOW) == once


def test_wanted_again_it_is_taken_up_again_with_all_its_turns():
    spent = TaskTurnSpent(task_id="more").apply(MORE.apply(COVERED, NOW), NOW)
    covered = TaskCovered(task_id="more", reason=SufficientReason.BOUNDED, seq=9).apply(spent, NOW)
    assert covered.task("more").status is TaskStatus.SUFFICIENT
    again = MORE.apply(covered, NOW)
    assert len(again.tasks) == 2
    assert (again.task("more").status, again.task("more").turns_spent) == (TaskStatus.IN_PROGRESS, 0)


def test_taken_up_as_often_as_may_be_it_stays_covered():
    worn = task("more", 3, status="sufficient", returns=MAX_RETURNS)
    before = session(worn, current_part=3)
    assert MORE.apply(before, NOW) is before


def test_what_was_being_worked_on_waits():
    after = MORE.apply(session(task("now", 3, status="in_progress"), current_part=3, current_task="now"), NOW)
    assert {one.id: one.status.value for one in after.tasks} == {"now": "pending", "more": "in_progress"}


@pytest.mark.parametrize("state", [session(current_part=2), session(current_part=3, status="completed")])
def test_elsewhere_and_too_late_it_changes_nothing(state):
    assert MORE.apply(state, NOW) is state


def test_a_task_of_another_part_is_none():
    assert MoreWanted(task=task("more", 2)).apply(COVERED, NOW) is COVERED
