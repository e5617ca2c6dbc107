from datetime import timedelta

import pytest

from shared.domain.counseling.background_events import (
    ClosingStarted,
    ClosingWorkDone,
    PlanMade,
    PlanRevised,
    Reviewed,
    Supervised,
    WrapUpSuggested,
)
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.session import NEWEST_LOG_ENTRIES, PlanStatus, SessionStatus, WrapUp
from tests.builders.sessions import NOW, session, task

LATER = NOW + timedelta(minutes=5)
ENDED = session(task("a", status="completed"), status="completed")
PLAN = PlanMade(goal="잠", keywords=("k",), tasks=(task("p1", 2), task("p2", 2)))
REVISION = PlanRevised(goal="새 목표", keywords=("n",), tasks=(task("n1", 2), task("now", 2)), answered=2)
CLOSING = ClosingStarted(tasks=(task("end", 3),))


def statuses(state):
    return {one.id: one.status.value for one in state.tasks}


class TestPlanMade:
    before = session(
        task("a", status="sufficient"), task("b", status="in_progress"), current_task="b", plan_status="planning", seq=6
    )

    def test_closes_part_1_and_begins_part_2_with_the_plans_tasks(self):
        after = PLAN.apply(self.before, LATER)
        assert statuses(after) == {"a": "completed", "b": "completed", "p1": "pending", "p2": "pending"}
        assert (after.current_part, after.plan_status, after.current_task) == (2, PlanStatus.READY, None)
        assert (after.part2_goal, after.selected_keywords, after.part2_started_seq) == ("잠", ("k",), 6)
        assert PLAN.apply(after, LATER + timedelta(hours=1)) is after
        for too_late in (ENDED, session(current_part=3)):
            assert PLAN.apply(too_late, LATER) is too_late
        doubled = PLAN.model_copy(update={"tasks": (task("p1", 2), task("a", 2), task("p1", 2))})
        assert [one.id for one in doubled.apply(self.before, LATER).tasks] == ["a", "b", "p1"]

    def test_replaces_the_persona_only_if_one_was_inferred(self):
        given = UserPersona(type="Type_A")
        before = self.before.model_copy(update={"user_persona": UserPersona(type="Type_B")})
        assert PLAN.model_copy(update={"persona": given}).apply(before, LATER).user_persona == given
        assert PLAN.apply(before, LATER).user_persona.type == "Type_B"

    @pytest.mark.parametrize("part", [2, 3])
    def test_the_persona_is_fixed_once_part_2_has_begun(self, part):
        fixed = UserPersona(type="Type_A", counseling_level=2)
        state = session(task("p1", 2), current_part=part, plan_status="ready", user_persona=fixed)
        for event in (
            PLAN.model_copy(update={"persona": UserPersona(type="Type_B", counseling_level=5)}),
            PlanRevised(goal="다른 목표", keywords=("k",), tasks=(task("p2", 2),), answered=1),
            Reviewed(seq=5, upto=5, gist={}),
            Supervised(seq=5, upto=5, gist={}),
            ClosingStarted(tasks=(task("c1", 3),)),
            WrapUpSuggested(reason="session_manager"),
            ClosingWorkDone(summary="요약", goals=()),
        ):
            state = event.apply(state, LATER)
            assert state.user_persona == fixed, type(event).__name__


class TestPlanRevised:
    before = session(
        task("done", 2, status="sufficient"),
        task("now", 2, status="in_progress"),
        task("waiting", 2),
        task("begun", 2, started_at=NOW),
        task("closing", 3),
        current_part=2,
        current_task="now",
        replans=3,
        part2_task_update_count=1,
        seq=12,
    )

    def test_parks_the_tasks_that_were_never_begun_and_subtracts_the_answered_feedback(self):
        after = REVISION.apply(self.before, LATER)
        pending = dict.fromkeys(["waiting", "begun", "closing", "n1"], "pending")
        assert statuses(after) == {"done": "sufficient", "now": "in_progress", **pending}
        assert [one.id for one in after.tasks if one.parked] == ["waiting"]
        assert (after.part2_goal, after.selected_keywords, after.current_task) == ("새 목표", ("n",), "now")
        assert (after.replanned_seq, after.replan_rounds) == (12, 1)
        assert (after.replans, after.part2_task_update_count) == (1, 2)
        assert REVISION.model_copy(update={"answered": 9}).apply(self.before, LATER).replans == 0

    def test_takes_up_the_parked_task_of_the_same_title(self):
        again = PlanRevised(goal="또", keywords=(), tasks=(task("r2", 2, title="Title of  WAITING"),), answered=1)
        after = again.apply(REVISION.apply(self.before, LATER), LATER)
        assert after.task("r2") is None
        assert (after.task("waiting").parked, after.task("n1").parked) == (False, True)

    @pytest.mark.parametrize(("reason", "stays"), [("goal_reached", False), (BOUNDED, True)])
    def test_drops_a_wrap_up_suggested_for_the_old_plan_unless_a_bound_suggested_it(self, reason, stays):
        suggested = WrapUp(stage="suggested", reason=reason)
        after = REVISION.apply(self.before.model_copy(update={"wrap_up": suggested}), LATER)
        assert (after.wrap_up == suggested) is stays

    @pytest.mark.parametrize("state", [ENDED, session(current_part=1), session(current_part=3)])
    def test_changes_nothing_outside_part_2(self, state):
        assert REVISION.apply(state, LATER) is state


@pytest.mark.parametrize("part", [1, 2])
def test_closing_completes_the_earlier_tasks_and_begins_part_3_once(part):
    before = session(task("a", 1), task("b", 2, status="in_progress"), current_part=part, current_task="b")
    after = CLOSING.apply(before, LATER)
    assert statuses(after) == {"a": "completed", "b": "completed", "end": "pending"}
    assert (after.current_part, after.status, after.current_task) == (3, SessionStatus.WRAPPING_UP, None)
    assert CLOSING.apply(after, LATER) is after


class TestWatermarks:
    @pytest.mark.parametrize(
        ("event", "mark", "log"),
        [(Supervised, "supervised", "supervision_log"), (Reviewed, "reviewed", "session_manager_log")],
    )
    def test_a_result_moves_its_watermark_only_forward_and_is_logged_once(self, event, mark, log):
        newer, older = event(seq=6, upto=6, gist={"total": 5}), event(seq=3, upto=3, gist={"total": 9})
        state = newer.apply(newer.apply(session(), LATER), LATER)
        assert (getattr(state.watermarks, mark), len(getattr(state, log))) == (6, 1)
        late = older.apply(state, LATER)
        assert (getattr(late.watermarks, mark), getattr(late, log)[-1].seq) == (6, 6)

    def test_the_logs_keep_the_newest_entries(self):
        state = session()
        for seq in range(1, 9):
            state = Supervised(seq=seq, upto=seq, gist={}).apply(state, LATER)
        assert [entry.seq for entry in state.supervision_log] == list(range(1, 9))[-NEWEST_LOG_ENTRIES:]

    def test_the_closing_work_stores_summary_and_goals_once(self):
        event = ClosingWorkDone(summary="all", goals=("sleep",), next_session="the nights", by_rule=True)
        state = event.apply(ENDED.model_copy(update={"message_count": 9}), LATER)
        assert (state.summary_text, state.goals, state.watermarks.summarized) == ("all", ("sleep",), 9)
        assert (state.next_session, state.closing_made, state.closing_by_rule) == ("the nights", True, True)
        assert event.apply(state, LATER) == state
        assert ClosingWorkDone(summary="another", goals=()).apply(state, LATER) is state


def test_a_suggested_wrap_up_is_stored_with_the_number_of_refusals_so_far():
    declined = session(wrap_up=WrapUp(stage="declined", declined=2, seq=4))
    unanswered = session(wrap_up=WrapUp(stage="proposed", seq=4), seq=5)
    for before, refusals in ((session(), 0), (declined, 2), (unanswered, 0)):
        wrap_up = WrapUpSuggested(reason="goals met").apply(before, LATER).wrap_up
        assert (wrap_up.stage.value, wrap_up.reason, wrap_up.declined) == ("suggested", "goals met", refusals), before
