from datetime import timedelta

import pytest

from shared.domain.counseling import session_events, task_events
from shared.domain.counseling.help_events import DangerTold, SafetyInquired
from shared.domain.counseling.risk_events import (
    DangerAsked,
    DenialBelieved,
    ProtocolReplied,
    RiskRaised,
    RiskReviewed,
    RiskWatched,
    WishNotDenied,
)
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp
from shared.domain.counseling.task import SufficientReason, TaskStatus
from shared.domain.counseling.user_state import UserState
from shared.safety.follow_through import WISH
from shared.safety.help_seeking import Inquiry
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import Reassurance
from tests.builders.sessions import NOW, session, task

LATER = NOW + timedelta(minutes=5)
ENDED = session(task("a", status="completed"), status="completed", ended_at=NOW)
AGREED = WrapUp(stage="agreed")


def test_completing_part_1_starts_the_planning_once():
    assert session_events.PartCompleted(part=1).apply(session(), LATER).plan_status is PlanStatus.PLANNING
    for before in (session(current_part=2), session(plan_status="planning"), session(plan_status="ready"), ENDED):
        assert session_events.PartCompleted(part=1).apply(before, LATER) is before
    for part in (2, 3):
        before = session(current_part=part)
        assert session_events.PartCompleted(part=part).apply(before, LATER) is before, "later parts need no plan"


class TestWrapUp:
    def test_a_proposal_stores_its_turn_and_aim_and_keeps_reason_and_refusals(self):
        before = session(wrap_up=WrapUp(stage="suggested", reason="goals met", declined=2))
        wrap_up = session_events.WrapUpProposed(aim="wrap_up", seq=7).apply(before, LATER).wrap_up
        assert wrap_up == WrapUp(stage="proposed", aim="wrap_up", reason="goals met", seq=7, declined=2)
        first = session_events.WrapUpProposed(aim="end", seq=7).apply(session(), LATER).wrap_up
        assert (first.stage.value, first.aim.value, first.declined) == ("proposed", "end", 0)

    def test_agreeing_begins_the_wrap_up_and_declining_returns_to_active_and_is_counted(self):
        agreed = session_events.WrapUpAgreed().apply(session(wrap_up=WrapUp(stage="proposed", seq=7)), LATER)
        assert (agreed.wrap_up.stage.value, agreed.status) == ("agreed", SessionStatus.WRAPPING_UP)
        before = session(wrap_up=WrapUp(stage="proposed", seq=7, declined=1), status="wrapping_up")
        after = session_events.WrapUpDeclined().apply(before, LATER)
        assert (after.wrap_up.stage.value, after.wrap_up.declined) == ("declined", 2)
        assert after.status is SessionStatus.ACTIVE


class TestSessionClosed:
    def test_completes_all_tasks_once(self):
        tasks = (task("a", status="in_progress"), task("b"), task("c", status="completed", completed_at=NOW))
        before = session(*tasks, current_task="a", status="wrapping_up", wrap_up=WrapUp(stage="proposed"))
        after = session_events.SessionClosed().apply(before, LATER)
        assert (after.status, after.ended_at) == (SessionStatus.COMPLETED, LATER)
        assert (after.current_task, after.wrap_up) == (None, None)
        assert {one.status for one in after.tasks} == {TaskStatus.COMPLETED}
        assert [one.completed_at for one in after.tasks] == [LATER, LATER, NOW]
        assert session_events.SessionClosed().apply(after, LATER + timedelta(hours=1)) is after
        assert session_events.SessionClosed().apply(session(wrap_up=AGREED), LATER).wrap_up == AGREED, "kept"

    @pytest.mark.parametrize(("before", "after"), [("planning", "none"), ("none", "none"), ("ready", "ready")])
    def test_cancels_a_plan_that_is_still_being_made(self, before, after):
        assert session_events.SessionClosed().apply(session(plan_status=before), LATER).plan_status == after


class TestTaskStarted:
    def test_makes_the_chosen_task_the_current_one_with_its_guide(self):
        after = task_events.TaskStarted(task_id="b", guide="gently").apply(session(task("a"), task("b")), LATER)
        assert (after.current_task, after.execution_guide) == ("b", "gently")
        assert after.task_in_progress.started_at == LATER
        assert after.task("a").status is TaskStatus.PENDING

    @pytest.mark.parametrize(("status", "then"), [("in_progress", "pending"), ("sufficient", "sufficient")])
    def test_sets_the_previous_task_to_pending_unless_it_is_covered(self, status, then):
        before = session(task("a", status=status, turns_spent=2), task("b"), current_task="a")
        after = task_events.TaskStarted(task_id="b").apply(before, LATER).task("a")
        assert (after.status.value, after.turns_spent) == (then, 2)

    @pytest.mark.parametrize(("status", "turns"), [("sufficient", 0), ("in_progress", 6)])
    def test_resets_the_turns_of_a_covered_task_and_keeps_those_of_one_in_progress(self, status, turns):
        before = session(task("a", status=status, turns_spent=6, started_at=NOW), current_task="a")
        after = task_events.TaskStarted(task_id="a").apply(before, LATER).task_in_progress
        assert (after.turns_spent, after.started_at) == (turns, NOW)


def test_a_turn_is_spent_on_the_task_in_progress_only():
    before = session(task("a", status="in_progress", turns_spent=1), task("b"), current_task="a")
    assert [one.turns_spent for one in task_events.TaskTurnSpent(task_id="a").apply(before, LATER).tasks] == [2, 0]
    for status in ("completed", "sufficient", "pending"):
        closed = session(task("a", status=status))
        assert task_events.TaskTurnSpent(task_id="a").apply(closed, LATER) == closed


def test_a_covered_task_is_sufficient_once_and_the_reason_is_logged():
    event = task_events.TaskCovered(task_id="a", reason=SufficientReason.JUDGED, evidence="said so", seq=4)
    after = event.apply(session(task("a", status="in_progress"), current_task="a"), LATER)
    assert (after.task("a").status, after.task("a").sufficient_at) == (TaskStatus.SUFFICIENT, LATER)
    assert after.task_in_progress is None
    (entry,) = after.completion_log
    assert (entry.seq, entry.data) == (4, {"task": "a", "reason": "judged", "evidence": "said so"})
    assert event.apply(after, LATER + timedelta(hours=1)) is after


class TestSlots:
    def test_a_later_value_replaces_the_first_and_removes_the_error(self):
        before = session(user_info={"name": "지민"}, slot_errors={"name": "no", "age": "no"})
        after = task_events.SlotFilled(slot="name", value="민지").apply(before, LATER)
        assert (after.user_info, after.slot_errors) == ({"name": "민지"}, {"age": "no"})

    def test_a_rejected_value_stores_its_error_unless_a_valid_value_exists(self):
        assert task_events.SlotRejected(slot="name", error="no").apply(session(), LATER).slot_errors == {"name": "no"}
        before = session(user_info={"name": "지민"})
        assert task_events.SlotRejected(slot="name", error="no").apply(before, LATER) is before

    def test_asking_is_counted_and_removes_the_error(self):
        before = session(asked={"name": 1}, slot_errors={"name": "no"})
        after = task_events.SlotAsked(slot="name").apply(before, LATER)
        assert (after.asked, after.last_asked, after.slot_errors) == ({"name": 2}, "name", {})
        after = task_events.SlotAsked(slot=None).apply(after, LATER)
        assert (after.asked, after.last_asked) == ({"name": 2}, None), "only the last question is forgotten"


def test_a_new_module_keeps_the_previous_one_and_the_reason():
    after = task_events.ModuleChanged(module_id="reframing", reason="맴도는 대화 감지", code="state:circular").apply(
        session(), LATER
    )
    assert (after.previous_module, after.current_module) == ("rapport_building", "reframing")
    assert (after.module_change_reason, after.module_change_code) == ("맴도는 대화 감지", "state:circular")
    assert task_events.ModuleChanged(module_id="reframing", reason="new", code="new").apply(after, LATER) == after


def raised(outcome=CrisisOutcome.CRISIS, seq=3, **more):
    return RiskRaised(outcome=outcome, rule_ids=("ko-x",), seq=seq, **more)


def test_risk_is_raised_with_its_turn_and_all_outcomes_and_not_lowered_by_a_milder_finding():
    risk = raised().apply(session(), NOW).risk
    assert (risk.level, risk.since_seq, risk.last_seq) == (RiskLevel.CRISIS, 3, 3)
    both = frozenset({CrisisOutcome.CRISIS, CrisisOutcome.HARM_TO_OTHERS})
    assert {*raised(CrisisOutcome.HARM_TO_OTHERS, outcomes=both).apply(session(), NOW).risk.found} == both
    state = raised(CrisisOutcome.IMMINENT).apply(session(), NOW)
    for outcome in CrisisOutcome:
        assert raised(outcome, seq=4).apply(state, NOW).risk.level is RiskLevel.IMMINENT


def test_risk_ends_only_when_the_user_has_said_twice_that_they_are_safe():
    safe, silent = RiskWatched(said=(Reassurance.OUT_OF_DANGER,), seq=4), RiskWatched(seq=4)
    asked = SafetyInquired(about=(Inquiry.PLAN, Inquiry.MEANS), seq=3)
    once = safe.apply(asked.apply(raised().apply(session(), NOW), NOW), NOW)
    assert silent.apply(once, NOW).risk.follow_through
    over = safe.apply(once, NOW).risk
    assert (over.level, over.over_seq, over.just_over(5), over.just_over(6)) == (RiskLevel.NONE, 4, True, False)
    assert silent.apply(session(), NOW) == session()


@pytest.mark.parametrize(
    ("before", "ends"),
    [
        ([], False),
        ([SafetyInquired(about=(Inquiry.PLAN,), seq=3)], False),
        ([SafetyInquired(about=(Inquiry.PLAN, Inquiry.MEANS), seq=2)], False),
        ([SafetyInquired(about=(Inquiry.PLAN,), seq=3), DangerTold(about=(Topic.MEANS,), seq=3)], True),
        ([session_events.MisreadTold(seq=3)], False),
        ([session_events.MisreadTold(seq=3, of_a_work=True)], True),
    ],
    ids=["unasked", "means_unasked", "asked_of_an_earlier_danger", "asked_and_told", "denied", "of_a_work"],
)
def test_a_risk_does_not_end_before_the_plan_and_the_means_are_asked_told_or_it_was_about_a_work(before, ends):
    state = raised().apply(session(), NOW)
    for event in (*before, *(RiskWatched(said=(Reassurance.NO_INTENT,), seq=seq) for seq in (4, 5, 6))):
        state = event.apply(state, NOW)
    assert state.risk.follow_through is not ends


def test_a_denial_ends_what_rules_alone_read_in_single_messages_and_the_next_finding_is_a_first_one():
    state = raised(by_words=True).apply(session(), NOW)
    over = DenialBelieved(seq=4).apply(state, NOW)
    assert (over.risk.level, over.risk.over_seq, over.risk.needs) == (RiskLevel.NONE, 4, (Need.LIFE,))
    assert over.safety_plan.stage is PlanStage.NONE
    again = raised(seq=9, by_words=True).apply(over, NOW).risk
    assert (again.since_seq, again.last_seq, again.turns_since, again.over_seq) == (9, 9, 0, None)
    assert DenialBelieved(seq=4).apply(over, NOW) is over, "it is in effect once"


@pytest.mark.parametrize(
    "more",
    [
        (raised(seq=2),),
        (raised(seq=4, outcome=CrisisOutcome.CONCERN),),
        (raised(CrisisOutcome.THIRD_PARTY, seq=2),),
        (session_events.UserStateObserved(user_state=UserState(risk=RiskLevel.CRISIS), seq=2),),
        (raised(seq=2), session_events.UserStateObserved(user_state=UserState(), seq=2)),
    ],
)
def test_a_denial_ends_nothing_that_more_than_a_rule_tells_of_before_or_after(more):
    for events in ((raised(by_words=True), *more), (*more, raised(by_words=True))):
        state = session()
        for event in events:
            state = event.apply(state, NOW)
        assert DenialBelieved(seq=5).apply(state, NOW) is state
    reviewed = RiskReviewed(reviewer="r", seq=9).apply(state, NOW)
    later = raised(seq=10, by_words=True).apply(reviewed, NOW)
    assert DenialBelieved(seq=11).apply(later, NOW) is later, "also after a review"


def test_a_concern_of_the_model_keeps_a_denial_from_ending_a_danger_from_shortly_before_it_on():
    def after(*events):
        state = session()
        for event in events:
            state = event.apply(state, NOW)
        return DenialBelieved(seq=20).apply(state, NOW) is not state

    def doubt(seq):
        return session_events.UserStateObserved(user_state=UserState(risk=RiskLevel.CONCERN), seq=seq)

    found = raised(seq=10, by_words=True)
    assert [after(doubt(seq), found) for seq in (1, 6, 7, 9)] == [True, True, False, False]
    assert not after(found, doubt(11))
    assert not after(doubt(9), raised(CrisisOutcome.CONCERN, seq=9, by_words=True), found)


def test_a_danger_found_again_in_the_follow_through_is_no_false_alarm_but_the_same_one_twice_may_be():
    first, again = raised(seq=3, by_words=True), raised(seq=4, by_words=True)
    once = first.apply(session(), NOW)
    assert first.apply(once, NOW).risk.deniable
    assert not again.apply(once, NOW).risk.deniable


def test_an_answer_that_does_not_deny_marks_a_danger_for_the_session_and_a_concern_for_some_turns():
    danger, concern = raised(seq=3, by_words=True), raised(CrisisOutcome.CONCERN, seq=3, by_words=True)
    followed, asked = (WishNotDenied(seq=4).apply(one.apply(session(), NOW), NOW) for one in (danger, concern))
    assert (followed.risk.supported, asked.risk.supported) == (True, False)
    assert not raised(seq=5, by_words=True).apply(asked, NOW).risk.deniable
    assert raised(seq=9, by_words=True).apply(asked, NOW).risk.deniable


@pytest.mark.parametrize("outcome", [one for one in CrisisOutcome if one not in WISH])
def test_a_denial_ends_no_other_danger(outcome):
    state = raised(outcome, by_words=True).apply(raised(by_words=True).apply(session(), NOW), NOW)
    ended = DenialBelieved(seq=5).apply(state, NOW)
    assert (ended is state) is (outcome is not CrisisOutcome.NONE)


def test_a_misreading_takes_no_near_danger_back():
    near = raised(CrisisOutcome.IMMINENT, outcomes=frozenset({CrisisOutcome.IMMINENT})).apply(session(), NOW)
    assert not session_events.MisreadTold(seq=4, of_a_work=True).apply(near, NOW).risk.corrected


def test_protocol_replies_are_counted_and_a_late_danger_question_replaces_no_newer_one():
    assert ProtocolReplied().apply(session(protocol_replies=1), NOW).protocol_replies == 2
    asked = DangerAsked(seq=5).apply(session(), NOW)
    assert DangerAsked(seq=4).apply(asked, NOW).risk.asked_seq == 5
