from datetime import timedelta

import pytest

from shared.domain.counseling.task import Part, SufficientReason, TaskStatus
from shared.domain.counseling.task_events import (
    ModuleChanged,
    SlotAsked,
    SlotFilled,
    SlotRejected,
    TaskCovered,
    TaskStarted,
    TaskTurnSpent,
)
from tests.fakes.counselling import NOW, session, task

LATER = NOW + timedelta(minutes=5)


class TestTaskStarted:
    def test_the_chosen_task_is_the_current_one_with_its_guide(self):
        after = TaskStarted(task_id="b", guide="gently").apply(session(task("a"), task("b")), LATER)
        assert (after.current_task, after.execution_guide) == ("b", "gently")
        assert after.task_in_progress.started_at == LATER
        assert after.task("a").status is TaskStatus.PENDING

    def test_the_task_before_it_waits_again(self):
        before = session(task("a", status="in_progress", turns_spent=2), task("b"), current_task="a")
        after = TaskStarted(task_id="b").apply(before, LATER)
        assert (after.task("a").status, after.task("a").turns_spent) == (TaskStatus.PENDING, 2)

    def test_unless_it_is_covered(self):
        before = session(task("a", status="sufficient"), task("b"), current_task="a")
        assert TaskStarted(task_id="b").apply(before, LATER).task("a").status is TaskStatus.SUFFICIENT

    def test_a_covered_task_chosen_again_has_all_its_turns_anew(self):
        before = session(task("a", status="sufficient", turns_spent=6, started_at=NOW))
        after = TaskStarted(task_id="a").apply(before, LATER).task_in_progress
        assert (after.turns_spent, after.started_at) == (0, NOW)

    def test_starting_what_is_in_progress_keeps_its_turns(self):
        before = session(task("a", status="in_progress", turns_spent=3, started_at=NOW), current_task="a")
        assert TaskStarted(task_id="a").apply(before, LATER).task_in_progress.turns_spent == 3

    def test_what_cannot_be_chosen_changes_nothing(self, subtests):
        for one in (task("a", status="completed"), task("a", Part.EXPLORATION), task("b")):
            with subtests.test(one=one):
                before = session(one, task("c", status="in_progress"), current_task="c")
                assert TaskStarted(task_id="a").apply(before, LATER) is before


class TestTaskTurnSpent:
    def test_counts_on_the_task_in_progress(self):
        before = session(task("a", status="in_progress", turns_spent=1), task("b"), current_task="a")
        after = TaskTurnSpent(task_id="a").apply(before, LATER)
        assert [one.turns_spent for one in after.tasks] == [2, 0]

    def test_a_task_that_was_closed_meanwhile_is_not_changed(self, subtests):
        for status in ("completed", "sufficient", "pending"):
            with subtests.test(status=status):
                before = session(task("a", status=status))
                assert TaskTurnSpent(task_id="a").apply(before, LATER) == before


class TestTaskCovered:
    event = TaskCovered(task_id="a", reason=SufficientReason.JUDGED, evidence="said so", seq=4)

    def test_the_task_is_sufficient_and_the_log_says_why(self):
        after = self.event.apply(session(task("a", status="in_progress"), current_task="a"), LATER)
        assert (after.task("a").status, after.task("a").sufficient_at) == (TaskStatus.SUFFICIENT, LATER)
        assert after.task_in_progress is None
        (entry,) = after.completion_log
        assert (entry.seq, entry.data) == (4, {"task": "a", "reason": "judged", "evidence": "said so"})

    def test_twice_is_once(self):
        once = self.event.apply(session(task("a")), LATER)
        assert self.event.apply(once, LATER + timedelta(hours=1)) is once

    @pytest.mark.parametrize("one", [task("a", status="completed"), task("b")])
    def test_what_is_closed_or_unknown_is_not_changed(self, one):
        before = session(one)
        assert self.event.apply(before, LATER) is before


class TestSlots:
    def test_a_later_value_replaces_and_the_error_is_gone(self):
        before = session(user_info={"name": "지민"}, slot_errors={"name": "no", "age": "no"})
        after = SlotFilled(slot="name", value="민지").apply(before, LATER)
        assert (after.user_info, after.slot_errors) == ({"name": "민지"}, {"age": "no"})

    def test_a_falsy_value_is_kept_as_it_is(self, subtests):
        for value in (0, False, ""):
            with subtests.test(value=value):
                kept = SlotFilled(slot="x", value=value).apply(session(), LATER).user_info["x"]
                assert (kept, type(kept)) == (value, type(value))

    def test_a_rejected_value_leaves_its_error(self):
        assert SlotRejected(slot="name", error="no").apply(session(), LATER).slot_errors == {"name": "no"}

    def test_a_rejected_value_does_not_touch_one_that_holds(self):
        before = session(user_info={"name": "지민"})
        assert SlotRejected(slot="name", error="no").apply(before, LATER) is before

    def test_asking_counts_and_takes_the_told_error_away(self):
        before = session(asked={"name": 1}, slot_errors={"name": "no"})
        after = SlotAsked(slot="name").apply(before, LATER)
        assert (after.asked, after.last_asked, after.slot_errors) == ({"name": 2}, "name", {})

    def test_asking_for_nothing_forgets_the_last_question_only(self):
        after = SlotAsked(slot=None).apply(session(asked={"name": 1}, last_asked="name"), LATER)
        assert (after.asked, after.last_asked) == ({"name": 1}, None)


class TestModuleChanged:
    def test_the_module_before_is_remembered_with_the_reason(self):
        after = ModuleChanged(module_id="reframing", reason="state").apply(session(), LATER)
        assert (after.previous_module, after.current_module) == ("rapport_building", "reframing")
        assert after.module_change_reason == "state"

    def test_the_same_module_is_no_change(self):
        before = session(module_change_reason="old")
        assert ModuleChanged(module_id="rapport_building", reason="new").apply(before, LATER) is before
