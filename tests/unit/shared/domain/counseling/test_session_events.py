"""What the events of a turn make of a session, its tasks and its risk."""

from datetime import timedelta

import pytest

from shared.domain.counseling.risk_events import DangerAsked, ProtocolReplied, RiskRaised, RiskWatched
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp
from shared.domain.counseling.session_events import (
    PartCompleted,
    SessionClosed,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpProposed,
)
from shared.domain.counseling.task import SufficientReason, TaskStatus
from shared.domain.counseling.task_events import (
    ModuleChanged,
    SlotAsked,
    SlotFilled,
    SlotRejected,
    TaskCovered,
    TaskStarted,
    TaskTurnSpent,
)
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.reassurance import Reassurance
from tests.builders.sessions import NOW, session, task

LATER = NOW + timedelta(minutes=5)
ENDED = session(task("a", status="completed"), status="completed", ended_at=NOW)
AGREED = WrapUp(stage="agreed")


def test_part_1_complete_sets_the_planner_to_work_once():
    assert PartCompleted(part=1).apply(session(), LATER).plan_status is PlanStatus.PLANNING
    for before in (session(current_part=2), session(plan_status="planning"), session(plan_status="ready"), ENDED):
        assert PartCompleted(part=1).apply(before, LATER) is before
    for part in (2, 3):
        before = session(current_part=part)
        assert PartCompleted(part=part).apply(before, LATER) is before, "later parts need no plan"


class TestWrapUp:
    def test_a_proposal_remembers_its_turn_aim_and_what_came_before(self):
        before = session(wrap_up=WrapUp(stage="suggested", reason="goals met", declined=2))
        wrap_up = WrapUpProposed(aim="wrap_up", seq=7).apply(before, LATER).wrap_up
        assert wrap_up == WrapUp(stage="proposed", aim="wrap_up", reason="goals met", seq=7, declined=2)
        first = WrapUpProposed(aim="end", seq=7).apply(session(), LATER).wrap_up
        assert (first.stage.value, first.aim.value, first.declined) == ("proposed", "end", 0)

    def test_agreeing_begins_the_wrap_up_and_declining_goes_back_to_active_and_counts(self):
        agreed = WrapUpAgreed().apply(session(wrap_up=WrapUp(stage="proposed", seq=7)), LATER)
        assert (agreed.wrap_up.stage.value, agreed.status) == ("agreed", SessionStatus.WRAPPING_UP)
        before = session(wrap_up=WrapUp(stage="proposed", seq=7, declined=1), status="wrapping_up")
        after = WrapUpDeclined().apply(before, LATER)
        assert (after.wrap_up.stage.value, after.wrap_up.declined) == ("declined", 2)
        assert after.status is SessionStatus.ACTIVE


class TestSessionClosed:
    def test_everything_is_closed_once(self):
        tasks = (task("a", status="in_progress"), task("b"), task("c", status="completed", completed_at=NOW))
        before = session(*tasks, current_task="a", status="wrapping_up", wrap_up=WrapUp(stage="proposed"))
        after = SessionClosed().apply(before, LATER)
        assert (after.status, after.ended_at, after.mid_flow) == (SessionStatus.COMPLETED, LATER, False)
        assert (after.current_task, after.wrap_up) == (None, None)
        assert {one.status for one in after.tasks} == {TaskStatus.COMPLETED}
        assert [one.completed_at for one in after.tasks] == [LATER, LATER, NOW]
        assert SessionClosed().apply(after, LATER + timedelta(hours=1)) is after
        assert SessionClosed().apply(session(wrap_up=AGREED), LATER).wrap_up == AGREED, "what the user agreed to"

    @pytest.mark.parametrize(("before", "after"), [("planning", "none"), ("none", "none"), ("ready", "ready")])
    def test_a_plan_still_being_made_becomes_needless(self, before, after):
        assert SessionClosed().apply(session(plan_status=before), LATER).plan_status == after


class TestTaskStarted:
    def test_the_chosen_task_is_the_current_one_with_its_guide(self):
        after = TaskStarted(task_id="b", guide="gently").apply(session(task("a"), task("b")), LATER)
        assert (after.current_task, after.execution_guide) == ("b", "gently")
        assert after.task_in_progress.started_at == LATER
        assert after.task("a").status is TaskStatus.PENDING

    @pytest.mark.parametrize(("status", "then"), [("in_progress", "pending"), ("sufficient", "sufficient")])
    def test_the_task_before_it_waits_again_unless_it_is_covered(self, status, then):
        before = session(task("a", status=status, turns_spent=2), task("b"), current_task="a")
        after = TaskStarted(task_id="b").apply(before, LATER).task("a")
        assert (after.status.value, after.turns_spent) == (then, 2)

    @pytest.mark.parametrize(("status", "turns"), [("sufficient", 0), ("in_progress", 6)])
    def test_a_covered_task_chosen_again_has_all_its_turns_anew_and_one_in_progress_keeps_them(self, status, turns):
        before = session(task("a", status=status, turns_spent=6, started_at=NOW), current_task="a")
        after = TaskStarted(task_id="a").apply(before, LATER).task_in_progress
        assert (after.turns_spent, after.started_at) == (turns, NOW)


def test_a_turn_is_spent_on_the_task_in_progress_only():
    before = session(task("a", status="in_progress", turns_spent=1), task("b"), current_task="a")
    assert [one.turns_spent for one in TaskTurnSpent(task_id="a").apply(before, LATER).tasks] == [2, 0]
    for status in ("completed", "sufficient", "pending"):
        closed = session(task("a", status=status))
        assert TaskTurnSpent(task_id="a").apply(closed, LATER) == closed


class TestTaskCovered:
    event = TaskCovered(task_id="a", reason=SufficientReason.JUDGED, evidence="said so", seq=4)

    def test_the_task_is_sufficient_once_and_the_log_says_why(self):
        after = self.event.apply(session(task("a", status="in_progress"), current_task="a"), LATER)
        assert (after.task("a").status, after.task("a").sufficient_at) == (TaskStatus.SUFFICIENT, LATER)
        assert after.task_in_progress is None
        (entry,) = after.completion_log
        assert (entry.seq, entry.data) == (4, {"task": "a", "reason": "judged", "evidence": "said so"})
        assert self.event.apply(after, LATER + timedelta(hours=1)) is after


class TestSlots:
    def test_a_later_value_replaces_and_the_error_is_gone(self):
        before = session(user_info={"name": "지민"}, slot_errors={"name": "no", "age": "no"})
        after = SlotFilled(slot="name", value="민지").apply(before, LATER)
        assert (after.user_info, after.slot_errors) == ({"name": "민지"}, {"age": "no"})

    def test_a_rejected_value_leaves_its_error_and_does_not_touch_one_that_holds(self):
        assert SlotRejected(slot="name", error="no").apply(session(), LATER).slot_errors == {"name": "no"}
        before = session(user_info={"name": "지민"})
        assert SlotRejected(slot="name", error="no").apply(before, LATER) is before

    def test_asking_counts_and_takes_the_told_error_away(self):
        before = session(asked={"name": 1}, slot_errors={"name": "no"})
        after = SlotAsked(slot="name").apply(before, LATER)
        assert (after.asked, after.last_asked, after.slot_errors) == ({"name": 2}, "name", {})
        after = SlotAsked(slot=None).apply(after, LATER)
        assert (after.asked, after.last_asked) == ({"name": 2}, None), "only the last question is forgotten"


def test_a_new_module_remembers_the_one_before_with_the_reason():
    after = ModuleChanged(module_id="reframing", reason="state").apply(session(), LATER)
    assert (after.previous_module, after.current_module) == ("rapport_building", "reframing")
    assert after.module_change_reason == "state"
    assert ModuleChanged(module_id="reframing", reason="new").apply(after, LATER) is after


def raised(outcome=CrisisOutcome.CRISIS, seq=3, **more):
    return RiskRaised(outcome=outcome, rule_ids=("ko-x",), seq=seq, **more)


def test_risk_is_raised_with_its_turn_and_all_that_one_message_told_of_and_never_lowered_by_a_milder_finding():
    risk = raised().apply(session(), NOW).risk
    assert (risk.level, risk.since_seq, risk.last_seq) == (RiskLevel.CRISIS, 3, 3)
    both = frozenset({CrisisOutcome.CRISIS, CrisisOutcome.HARM_TO_OTHERS})
    assert {*raised(CrisisOutcome.HARM_TO_OTHERS, outcomes=both).apply(session(), NOW).risk.found} == both
    state = raised(CrisisOutcome.IMMINENT).apply(session(), NOW)
    for outcome in CrisisOutcome:
        assert raised(outcome, seq=4).apply(state, NOW).risk.level is RiskLevel.IMMINENT


def test_risk_is_left_when_the_user_has_said_twice_to_be_safe_and_not_sooner():
    safe = RiskWatched(said=(Reassurance.OUT_OF_DANGER,))
    once = safe.apply(raised().apply(session(), NOW), NOW)
    assert RiskWatched().apply(once, NOW).risk.follow_through
    assert safe.apply(once, NOW).risk.level is RiskLevel.NONE
    assert RiskWatched().apply(session(), NOW) == session()


def test_protocol_replies_are_counted_and_a_late_question_does_not_take_a_newer_ones_place():
    assert ProtocolReplied().apply(session(protocol_replies=1), NOW).protocol_replies == 2
    asked = DangerAsked(seq=5).apply(session(), NOW)
    assert DangerAsked(seq=4).apply(asked, NOW).risk.asked_seq == 5
