"""Tasks in their order, and the session that holds them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.task import Part, Priority, TaskOrigin, TaskStatus, part_covered, rank
from tests.builders.sessions import NOW, session, task

STATUS_ORDER = [TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT]
PRIORITY_ORDER = [Priority.HIGH, Priority.MEDIUM, Priority.LOW]
FIELDS = {"part": Part, "status": TaskStatus, "priority": Priority, "origin": TaskOrigin}
some_fields = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in FIELDS.items()})
some_tasks = st.lists(some_fields, max_size=12).map(
    lambda found: [task(f"t{number}", **fields) for number, fields in enumerate(found)]
)


def ranked(tasks, part=Part.OPENING, *, wrapping_up=False):
    return [one.id for one in rank(tasks, part, wrapping_up=wrapping_up)]


class TestRank:
    def test_puts_the_wrap_up_tasks_first_while_wrapping_up(self):
        tasks = [task("explore", 2, priority="high"), task("wrap", 2, priority="low", origin="wrap_up")]
        assert ranked(tasks, Part.EXPLORATION, wrapping_up=True) == ["wrap", "explore"]
        assert ranked(tasks, Part.EXPLORATION) == ["explore", "wrap"]

    @given(some_tasks, st.sampled_from(Part))
    def test_orders_the_open_tasks_by_status_then_priority_then_creation(self, tasks, part):
        found = rank(tasks, part, wrapping_up=False)
        chosen = {one.id for one in tasks if one.part == part and one.status is not TaskStatus.COMPLETED}
        assert {one.id for one in found} == chosen

        def key(one):
            return STATUS_ORDER.index(one.status), PRIORITY_ORDER.index(one.priority), tasks.index(one)

        assert all(key(first) < key(second) for first, second in pairwise(found))


def test_a_part_is_covered_when_all_its_tasks_are_sufficient_or_completed():
    done = task("a", status="sufficient")
    assert part_covered([done, task("b", status="completed"), task("c", Part.CLOSING)], Part.OPENING)
    for waiting in (task("b"), task("b", status="in_progress")):
        assert not part_covered([done, waiting], Part.OPENING)
    assert not part_covered([done], Part.EXPLORATION), "a part without tasks"


def test_progress_is_a_third_a_part_by_covered_tasks_and_one_for_a_session_that_ended_in_its_closing():
    def progress(part, *statuses):
        tasks = [task(f"t{number}", part, status=status) for number, status in enumerate(statuses)]
        return session(*tasks, current_part=part).progress

    assert (progress(1), progress(1, "pending", "sufficient"), progress(1, "sufficient")) == (0.0, 0.167, 0.333)
    assert (progress(2), progress(2, "completed", "in_progress")) == (0.333, 0.5)
    assert progress(3, "sufficient", "sufficient") == session(status="completed", current_part=3).progress == 1.0
    told = task("a", 2, status="completed", sufficient_at=NOW)
    early = session(told, task("b", 2, status="completed"), status="completed", current_part=2)
    assert early.progress == 0.5, "an early end completes tasks that were not covered"
    assert session(status="completed").ended
    assert not session(status="wrapping_up").ended
