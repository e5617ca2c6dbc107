from shared.domain.counseling.task import Part, TaskStatus
from shared.services.counseling.plan import MOST_DONE, plan_in_prompt
from tests.fakes.counselling import NOW, session, task


def ids(*tasks):
    return [one.id for one in plan_in_prompt(session(*tasks), Part.EXPLORATION)]


def covered(number):
    return task(f"done_{number}", Part.EXPLORATION, status=TaskStatus.SUFFICIENT, sufficient_at=NOW)


def test_of_what_is_done_the_newest_is_shown_and_all_that_is_open():
    waiting = [task(f"open_{number}", Part.EXPLORATION) for number in range(9)]
    done = [covered(number) for number in range(MOST_DONE + 3)]
    assert ids(*done, *waiting) == [one.id for one in (*done[3:], *waiting)]


def test_what_a_replan_closed_untouched_and_what_is_of_another_part_is_left_out():
    closed = task("closed", Part.EXPLORATION, status=TaskStatus.COMPLETED, completed_at=NOW)
    assert ids(task("first"), closed, covered(1), task("open", Part.EXPLORATION)) == ["done_1", "open"]
