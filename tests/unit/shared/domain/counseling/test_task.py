from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.task import Part, Priority, TaskOrigin, TaskStatus, part_covered, rank
from tests.fakes.counselling import slot, task

STATUS_ORDER = [TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT]
PRIORITY_ORDER = [Priority.HIGH, Priority.MEDIUM, Priority.LOW]

some_tasks = st.lists(
    st.builds(
        lambda part, status, priority, origin: {"part": part, "status": status, "priority": priority, "origin": origin},
        st.sampled_from(Part),
        st.sampled_from(TaskStatus),
        st.sampled_from(Priority),
        st.sampled_from(TaskOrigin),
    ),
    max_size=12,
).map(lambda found: [task(f"t{number}", **fields) for number, fields in enumerate(found)])


def ids(tasks):
    return [one.id for one in tasks]


class TestRank:
    def test_status_goes_before_priority_and_priority_before_order(self):
        tasks = [
            task("covered_high", status="sufficient", priority="high"),
            task("waiting_low", priority="low"),
            task("current_high", status="in_progress", priority="high"),
            task("waiting_high_1", priority="high"),
            task("waiting_high_2", priority="high"),
            task("waiting_medium"),
        ]
        assert ids(rank(tasks, Part.OPENING, wrapping_up=False)) == [
            "waiting_high_1",
            "waiting_high_2",
            "waiting_medium",
            "waiting_low",
            "current_high",
            "covered_high",
        ]

    def test_completed_tasks_and_other_parts_are_dropped(self):
        tasks = [task("done", status="completed"), task("later", Part.CLOSING), task("now")]
        assert ids(rank(tasks, Part.OPENING, wrapping_up=False)) == ["now"]

    def test_while_wrapping_up_the_closing_work_goes_first(self):
        tasks = [
            task("explore", Part.EXPLORATION, priority="high"),
            task("wrap", Part.EXPLORATION, priority="low", origin="wrap_up"),
        ]
        assert ids(rank(tasks, Part.EXPLORATION, wrapping_up=True)) == ["wrap", "explore"]
        assert ids(rank(tasks, Part.EXPLORATION, wrapping_up=False)) == ["explore", "wrap"]

    @given(some_tasks, st.sampled_from(Part))
    def test_is_the_order_by_status_then_priority_then_making_of_what_may_be_chosen(self, tasks, part):
        ranked = rank(tasks, part, wrapping_up=False)
        assert set(ids(ranked)) == {t.id for t in tasks if t.part == part and t.status is not TaskStatus.COMPLETED}

        def key(one):
            return STATUS_ORDER.index(one.status), PRIORITY_ORDER.index(one.priority), tasks.index(one)

        assert all(key(first) < key(second) for first, second in pairwise(ranked))


class TestPartCovered:
    def test_when_every_task_of_it_is_sufficient_or_completed(self):
        tasks = [task("a", status="sufficient"), task("b", status="completed"), task("c", Part.CLOSING)]
        assert part_covered(tasks, Part.OPENING)

    def test_not_while_one_waits(self):
        assert not part_covered([task("a", status="sufficient"), task("b")], Part.OPENING)
        assert not part_covered([task("a", status="in_progress")], Part.OPENING)

    def test_a_part_without_tasks_is_not_covered(self):
        assert not part_covered([task("a", status="completed")], Part.EXPLORATION)


def test_a_tasks_slots_are_the_required_ones_first():
    one = task(required_slots=(slot("b"),), optional_slots=(slot("a"),))
    assert [each.name for each in one.slots] == ["b", "a"]
