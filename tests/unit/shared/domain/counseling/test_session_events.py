from datetime import timedelta

import pytest

from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import (
    PartCompleted,
    Rated,
    ReplanAsked,
    ReplyDegraded,
    SessionClosed,
    UserStateObserved,
    WrapUpAgreed,
    WrapUpDeclined,
    WrapUpProposed,
)
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.counseling.user_state import UserState
from tests.fakes.counselling import NOW, session, task

LATER = NOW + timedelta(minutes=5)
ENDED = session(task("a", status="completed"), status="completed", ended_at=NOW)


class TestPartCompleted:
    def test_part_1_complete_sets_the_planner_to_work(self):
        assert PartCompleted(part=1).apply(session(), LATER).plan_status is PlanStatus.PLANNING

    def test_changes_nothing_where_it_makes_no_sense_any_more(self):
        cases = [session(current_part=2), session(plan_status="planning"), session(plan_status="ready"), ENDED]
        assert [
            (before, got) for before in cases if (got := PartCompleted(part=1).apply(before, LATER)) is not before
        ] == []

    @pytest.mark.parametrize("part", [Part.EXPLORATION, Part.CLOSING])
    def test_later_parts_need_no_plan(self, part):
        before = session(current_part=part)
        assert PartCompleted(part=part).apply(before, LATER) is before


class TestWrapUp:
    def test_a_proposal_remembers_its_turn_aim_and_what_came_before(self):
        before = session(wrap_up=WrapUp(stage="suggested", reason="goals met", declined=2))
        wrap_up = WrapUpProposed(aim="wrap_up", seq=7).apply(before, LATER).wrap_up
        assert wrap_up == WrapUp(stage="proposed", aim="wrap_up", reason="goals met", seq=7, declined=2)

    def test_a_first_proposal_needs_nothing_before(self):
        wrap_up = WrapUpProposed(aim="end", seq=7).apply(session(), LATER).wrap_up
        assert (wrap_up.stage, wrap_up.aim, wrap_up.declined) == (WrapUpStage.PROPOSED, WrapUpAim.END, 0)

    def test_agreeing_begins_the_wrap_up(self):
        after = WrapUpAgreed().apply(session(wrap_up=WrapUp(stage="proposed", seq=7)), LATER)
        assert (after.wrap_up.stage, after.status) == (WrapUpStage.AGREED, SessionStatus.WRAPPING_UP)

    def test_declining_goes_back_to_active_and_counts(self):
        before = session(wrap_up=WrapUp(stage="proposed", seq=7, declined=1), status="wrapping_up")
        after = WrapUpDeclined().apply(before, LATER)
        assert (after.wrap_up.stage, after.wrap_up.declined) == (WrapUpStage.DECLINED, 2)
        assert after.status is SessionStatus.ACTIVE

    @pytest.mark.parametrize("event", [WrapUpAgreed(), WrapUpDeclined()])
    def test_there_is_no_answer_to_what_was_not_proposed(self, event):
        before = session()
        assert event.apply(before, LATER) is before

    def test_an_ended_session_stays_as_it_is(self, subtests):
        for event in (WrapUpProposed(aim="end", seq=2), WrapUpAgreed(), WrapUpDeclined()):
            with subtests.test(event=event):
                before = ENDED.model_copy(update={"wrap_up": WrapUp(stage="agreed")})
                assert event.apply(before, LATER) is before


class TestSessionClosed:
    def test_everything_is_closed(self):
        before = session(
            task("a", status="in_progress"),
            task("b"),
            task("c", status="completed", completed_at=NOW),
            current_task="a",
            status="wrapping_up",
            wrap_up=WrapUp(stage="proposed"),
        )
        after = SessionClosed().apply(before, LATER)
        assert (after.status, after.ended_at, after.current_task, after.mid_flow) == (
            SessionStatus.COMPLETED,
            LATER,
            None,
            False,
        )
        assert {one.status for one in after.tasks} == {TaskStatus.COMPLETED}
        assert [one.completed_at for one in after.tasks] == [LATER, LATER, NOW]
        assert after.wrap_up is None

    @pytest.mark.parametrize(("before", "after"), [("planning", "none"), ("none", "none"), ("ready", "ready")])
    def test_a_plan_still_being_made_becomes_needless(self, before, after):
        assert SessionClosed().apply(session(plan_status=before), LATER).plan_status == after

    def test_what_the_user_agreed_to_is_kept(self):
        before = session(wrap_up=WrapUp(stage="agreed"))
        assert SessionClosed().apply(before, LATER).wrap_up == before.wrap_up

    def test_twice_is_once(self):
        once = SessionClosed().apply(session(task("a")), LATER)
        assert SessionClosed().apply(once, LATER + timedelta(hours=1)) is once


def test_the_users_state_is_the_newest_reading():
    after = UserStateObserved(user_state=UserState(intensity=5)).apply(
        session(user_state=UserState(intensity=9)), LATER
    )
    assert after.user_state.intensity == 5


def test_degraded_replies_and_asked_replans_are_counted():
    assert ReplyDegraded().apply(session(degraded_replies=1), LATER).degraded_replies == 2
    assert ReplanAsked().apply(session(replans=1), LATER).replans == 2


def test_a_second_rating_replaces_the_first():
    assert Rated(rating=2).apply(Rated(rating=5).apply(ENDED, LATER), LATER).satisfaction == 2
