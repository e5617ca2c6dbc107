"""A review is due as soon as all tasks of Part 2 are covered, whatever the period says."""

from shared.domain.counseling.background_events import Reviewed
from shared.domain.counseling.due import fell_due, heard_upto, still_due
from shared.domain.counseling.lifecycle import REVIEW_EVERY, Work, due_work
from shared.domain.counseling.session import Session, Watermarks
from shared.domain.counseling.task import SufficientReason, TaskStatus
from shared.domain.counseling.task_events import TaskCovered
from tests.fakes.counselling import NOW, session, task

COVERED = 12


def covered(**more: object) -> Session:
    """Part 2's last task was covered in turn 12; the newest review was two messages before."""
    fields = {"current_part": 2, "plan_status": "ready", "seq": COVERED, "message_count": COVERED}
    state = session(
        task("a", 2, status=TaskStatus.SUFFICIENT),
        task("b", 2, status=TaskStatus.IN_PROGRESS),
        task("aside", 2, parked=True),
        **(fields | {"watermarks": Watermarks(reviewed=COVERED - 2, supervised=COVERED, summarized=COVERED)} | more),
    )
    return TaskCovered(task_id="b", reason=SufficientReason.JUDGED, seq=COVERED).apply(state, NOW)


def test_it_is_due_at_once_under_the_turn_of_the_covering() -> None:
    state = covered()
    assert Work.REVIEW in due_work(state)
    assert fell_due(state, Work.REVIEW) == COVERED
    assert still_due(state, Work.REVIEW, COVERED)


def test_it_keeps_its_name_until_it_is_made() -> None:
    later = covered().model_copy(update={"seq": COVERED + 2, "message_count": COVERED + 2})
    assert Work.REVIEW in due_work(later)
    assert fell_due(later, Work.REVIEW) == COVERED


def test_made_it_is_due_no_more_before_the_next_period() -> None:
    state = covered()
    made = Reviewed(seq=COVERED, upto=heard_upto(state, COVERED), gist={}).apply(state, NOW)
    assert Work.REVIEW not in due_work(made)
    next_period = made.model_copy(update={"seq": COVERED + REVIEW_EVERY, "message_count": COVERED + REVIEW_EVERY})
    assert Work.REVIEW in due_work(next_period)


def test_it_is_not_while_a_task_waits() -> None:
    cases = [
        (task("b", 2, status=TaskStatus.SUFFICIENT), task("c", 2)),
        (task("b", 2, status=TaskStatus.SUFFICIENT), task("c", 2, status=TaskStatus.IN_PROGRESS)),
    ]
    assert [
        tasks for tasks in cases if not (Work.REVIEW not in due_work(covered().model_copy(update={"tasks": tasks})))
    ] == []


def test_a_task_that_was_taken_up_and_covered_again_makes_it_due_again() -> None:
    state = covered()
    made = Reviewed(seq=COVERED, upto=COVERED, gist={}).apply(state, NOW)
    reopened = made.model_copy(
        update={
            "seq": COVERED + 2,
            "message_count": COVERED + 2,
            "tasks": (*made.tasks, task("more", 2, status=TaskStatus.IN_PROGRESS)),
        }
    )
    again = TaskCovered(task_id="more", reason=SufficientReason.JUDGED, seq=COVERED + 2).apply(reopened, NOW)
    assert fell_due(again, Work.REVIEW) == COVERED + 2
    assert Work.REVIEW in due_work(again)
