from datetime import timedelta

import pytest

from shared.domain.counseling.background_events import (
    ClosingStarted,
    ClosingWorkDone,
    PlanMade,
    PlanRevised,
    Reviewed,
    Summarized,
    Supervised,
    WrapUpSuggested,
)
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.session import (
    NEWEST_LOG_ENTRIES,
    PlanStatus,
    SessionStatus,
    Watermarks,
    WrapUp,
    WrapUpStage,
)
from shared.domain.counseling.task import Part, TaskStatus
from tests.fakes.counselling import NOW, session, task

LATER = NOW + timedelta(minutes=5)
ENDED = session(task("a", status="completed"), status="completed")
PLAN = PlanMade(goal="잠", keywords=("k",), tasks=(task("p1", 2), task("p2", 2)))


class TestPlanMade:
    before = session(
        task("a", status="sufficient"), task("b", status="in_progress"), current_task="b", plan_status="planning", seq=6
    )

    def test_part_1_is_closed_and_part_2_begins_with_its_plan(self):
        after = PLAN.apply(self.before, LATER)
        assert [(t.id, t.status.value) for t in after.tasks] == [
            ("a", "completed"),
            ("b", "completed"),
            ("p1", "pending"),
            ("p2", "pending"),
        ]
        assert (after.current_part, after.plan_status, after.current_task) == (2, PlanStatus.READY, None)
        assert (after.part2_goal, after.selected_keywords, after.part2_started_seq) == ("잠", ("k",), 6)

    def test_an_inferred_persona_replaces_and_no_inference_keeps(self):
        given = UserPersona(type="Type_A")
        before = self.before.model_copy(update={"user_persona": UserPersona(type="Type_B")})
        assert PLAN.model_copy(update={"persona": given}).apply(before, LATER).user_persona == given
        assert PLAN.apply(before, LATER).user_persona.type == "Type_B"

    def test_twice_is_once(self):
        once = PLAN.apply(self.before, LATER)
        assert PLAN.apply(once, LATER + timedelta(hours=1)) is once

    @pytest.mark.parametrize("part", [Part.EXPLORATION, Part.CLOSING])
    def test_once_part_2_has_begun_no_later_event_changes_the_persona(self, part):
        fixed = UserPersona(type="Type_A", counseling_level=2)
        state = session(task("p1", 2), current_part=part, plan_status=PlanStatus.READY, user_persona=fixed)
        other = PLAN.model_copy(update={"persona": UserPersona(type="Type_B", counseling_level=5)})
        later = (
            other,
            PlanRevised(goal="다른 목표", keywords=("k",), tasks=(task("p2", 2),), answered=1),
            Reviewed(seq=5, upto=5, gist={}),
            Supervised(seq=5, upto=5, gist={}),
            ClosingStarted(tasks=(task("c1", 3),)),
            WrapUpSuggested(reason="session_manager"),
            ClosingWorkDone(summary="요약", goals=()),
        )
        for event in later:
            state = event.apply(state, LATER)
            assert state.user_persona == fixed, type(event).__name__

    @pytest.mark.parametrize("state", [ENDED, session(current_part=3)])
    def test_too_late_it_changes_nothing(self, state):
        assert PLAN.apply(state, LATER) is state

    def test_an_id_is_one_tasks(self):
        doubled = PLAN.model_copy(update={"tasks": (task("p1", 2), task("a", 2), task("p1", 2))})
        assert [t.id for t in doubled.apply(self.before, LATER).tasks] == ["a", "b", "p1"]


class TestPlanRevised:
    revision = PlanRevised(goal="새 목표", keywords=("n",), tasks=(task("n1", 2), task("now", 2)), answered=2)
    before = session(
        task("done", 2, status="sufficient"),
        task("now", 2, status="in_progress"),
        task("waiting", 2),
        task("closing", 3),
        current_part=2,
        current_task="now",
        replans=3,
        part2_task_update_count=1,
    )

    def test_what_waits_is_put_aside_and_the_rest_stays(self):
        after = self.revision.apply(self.before, LATER)
        assert [(t.id, t.status.value, t.parked) for t in after.tasks] == [
            ("done", "sufficient", False),
            ("now", "in_progress", False),
            ("waiting", "pending", True),
            ("closing", "pending", False),
            ("n1", "pending", False),
        ]
        assert (after.part2_goal, after.selected_keywords, after.current_task) == ("새 목표", ("n",), "now")

    def test_what_was_begun_waits_on(self):
        begun = task("begun", 2, started_at=NOW)
        after = self.revision.apply(session(begun, current_part=2), LATER)
        assert not after.task("begun").parked

    def test_a_task_that_is_planned_again_is_the_one_that_was_put_aside(self):
        aside = self.revision.apply(self.before, LATER)
        again = PlanRevised(goal="또", keywords=(), tasks=(task("r2", 2, title="Title of  WAITING"),), answered=1)
        after = again.apply(aside, LATER)
        assert after.task("r2") is None
        assert not after.task("waiting").parked
        assert after.task("n1").parked

    @pytest.mark.parametrize(("reason", "stays"), [("goal_reached", False), (BOUNDED, True)])
    def test_a_wrap_up_that_was_suggested_for_the_plan_before_is_not_proposed(self, reason, stays):
        suggested = WrapUp(stage=WrapUpStage.SUGGESTED, reason=reason)
        after = self.revision.apply(self.before.model_copy(update={"wrap_up": suggested}), LATER)
        assert (after.wrap_up == suggested) is stays

    def test_the_answered_feedback_is_counted_off(self):
        after = self.revision.apply(self.before, LATER)
        assert (after.replans, after.part2_task_update_count) == (1, 2)
        assert self.revision.model_copy(update={"answered": 9}).apply(self.before, LATER).replans == 0

    def test_the_turn_of_it_is_noted_and_who_read_before_it_is_late(self):
        after = self.revision.apply(self.before.model_copy(update={"seq": 12}), LATER)
        assert (after.replanned_seq, after.replan_rounds) == (12, 1)

    @pytest.mark.parametrize("state", [ENDED, session(current_part=1), session(current_part=3)])
    def test_outside_part_2_it_changes_nothing(self, state):
        assert self.revision.apply(state, LATER) is state


class TestClosingStarted:
    start = ClosingStarted(tasks=(task("end", 3),))

    @pytest.mark.parametrize("part", [Part.OPENING, Part.EXPLORATION])
    def test_what_came_before_is_closed_and_part_3_begins(self, part):
        before = session(task("a", 1), task("b", 2, status="in_progress"), current_part=part, current_task="b")
        after = self.start.apply(before, LATER)
        assert [(t.id, t.status.value) for t in after.tasks] == [
            ("a", "completed"),
            ("b", "completed"),
            ("end", "pending"),
        ]
        assert (after.current_part, after.status, after.current_task) == (3, SessionStatus.WRAPPING_UP, None)

    def test_twice_is_once(self):
        once = self.start.apply(session(current_part=2), LATER)
        assert self.start.apply(once, LATER) is once

    def test_an_ended_session_stays_ended(self):
        assert self.start.apply(ENDED, LATER) is ENDED


class TestWatermarks:
    def test_a_result_moves_its_mark_forward_only_and_is_logged_once(self, subtests):
        cases = [(Supervised, "supervised", "supervision_log"), (Reviewed, "reviewed", "session_manager_log")]
        for event, mark, log in cases:
            with subtests.test(mark=mark):
                newer = event(seq=6, upto=6, gist={"total": 5})
                older = event(seq=3, upto=3, gist={"total": 9})
                state = newer.apply(newer.apply(session(), LATER), LATER)
                assert (getattr(state.watermarks, mark), len(getattr(state, log))) == (6, 1)
                late = older.apply(state, LATER)
                assert getattr(late.watermarks, mark) == 6

    def test_a_late_result_does_not_pass_for_the_newest(self):
        state = Supervised(seq=6, upto=6, gist={"total": 5}).apply(session(), LATER)
        state = Supervised(seq=3, upto=3, gist={"total": 9}).apply(state, LATER)
        assert state.supervision_log[-1].seq == 6

    def test_the_logs_hold_the_newest_few(self):
        state = session()
        for seq in range(1, 9):
            state = Supervised(seq=seq, upto=seq, gist={}).apply(state, LATER)
        assert [entry.seq for entry in state.supervision_log] == list(range(1, 9))[-NEWEST_LOG_ENTRIES:]

    def test_a_summary_that_reaches_no_further_changes_nothing(self):
        state = Summarized(summary="six", upto=6).apply(session(), LATER)
        assert (state.summary_text, state.watermarks) == ("six", Watermarks(summarized=6))
        assert Summarized(summary="late", upto=6).apply(state, LATER) is state
        assert Summarized(summary="nine", upto=9).apply(state, LATER).summary_text == "nine"

    def test_the_closing_work_leaves_summary_and_goals(self):
        event = ClosingWorkDone(summary="all", goals=("sleep",), next_session="the nights", by_rule=True)
        state = event.apply(ENDED.model_copy(update={"message_count": 9}), LATER)
        assert (state.summary_text, state.goals, state.watermarks.summarized) == ("all", ("sleep",), 9)
        assert (state.next_session, state.closing_made, state.closing_by_rule) == ("the nights", True, True)
        assert event.apply(state, LATER) == state
        assert ClosingWorkDone(summary="another", goals=()).apply(state, LATER) is state


class TestWrapUpSuggested:
    suggested = WrapUpSuggested(reason="goals met")

    def test_is_noted_for_the_counselor_to_propose(self):
        wrap_up = self.suggested.apply(session(), LATER).wrap_up
        assert (wrap_up.stage, wrap_up.reason) == (WrapUpStage.SUGGESTED, "goals met")

    def test_after_a_no_it_may_be_suggested_again_and_the_noes_stay_counted(self):
        before = session(wrap_up=WrapUp(stage="declined", declined=2, seq=4))
        wrap_up = self.suggested.apply(before, LATER).wrap_up
        assert (wrap_up.stage, wrap_up.declined) == (WrapUpStage.SUGGESTED, 2)

    @pytest.mark.parametrize("stage", ["suggested", "agreed"])
    def test_what_is_under_way_is_left_alone(self, stage):
        before = session(wrap_up=WrapUp(stage=stage))
        assert self.suggested.apply(before, LATER) is before

    def test_a_proposal_that_waits_for_its_answer_is_left_alone(self):
        before = session(wrap_up=WrapUp(stage="proposed", seq=4), seq=4)
        assert self.suggested.apply(before, LATER) is before

    def test_a_proposal_whose_answer_never_came_does_not_stop_the_next(self):
        before = session(wrap_up=WrapUp(stage="proposed", seq=4), seq=5)
        assert self.suggested.apply(before, LATER).wrap_up.stage is WrapUpStage.SUGGESTED

    @pytest.mark.parametrize("status", ["wrapping_up", "completed"])
    def test_who_is_closing_already_needs_no_suggestion(self, status):
        before = session(status=status)
        assert self.suggested.apply(before, LATER) is before


def test_no_background_result_opens_an_ended_session_again():
    for event in (PLAN, TestPlanRevised.revision, TestClosingStarted.start, TestWrapUpSuggested.suggested):
        assert event.apply(ENDED, LATER) is ENDED
    for event in (
        Supervised(seq=1, upto=1, gist={}),
        Reviewed(seq=1, upto=1, gist={}),
        Summarized(summary="s", upto=1),
        ClosingWorkDone(summary="s", goals=()),
    ):
        after = event.apply(ENDED, LATER)
        assert (after.status, after.tasks) == (SessionStatus.COMPLETED, ENDED.tasks)
        assert {t.status for t in after.tasks} == {TaskStatus.COMPLETED}
