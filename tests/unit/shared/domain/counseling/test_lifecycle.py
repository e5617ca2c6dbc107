import pytest

from shared.domain.counseling.lifecycle import (
    PART2_MAX_REPLANS,
    PART2_MAX_TURNS,
    Work,
    agreed_to_close,
    closing_covered,
    due_work,
    may_become,
    may_turn,
    part2_bounded,
    transition_due,
    turns_exhausted,
)
from shared.domain.counseling.session import PlanStatus, SessionStatus, Watermarks, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.counselling import session, task

CRISIS = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)
TASK_STEPS = {
    "pending": {"in_progress", "sufficient", "completed"},
    "in_progress": {"pending", "sufficient", "completed"},
    "sufficient": {"in_progress", "completed"},
    "completed": set(),
}
SESSION_STEPS = {
    "active": {"wrapping_up", "completed"},
    "wrapping_up": {"active", "completed"},
    "completed": set(),
}


def test_a_task_takes_its_steps_and_no_others():
    assert {
        (before, after): got
        for before in TaskStatus
        for after in TaskStatus
        if (got := may_become(task(status=before), after)) != (after in TASK_STEPS[before] or before is after)
    } == {}


def test_a_session_takes_its_steps_and_an_ended_one_none():
    assert {
        (before, after): got
        for before in SessionStatus
        for after in SessionStatus
        if (got := may_turn(session(status=before), after)) != (after in SESSION_STEPS[before] or before is after)
    } == {}


class TestTransitionDue:
    covered = task(status="sufficient")

    def test_part_1_is_left_when_it_is_covered(self):
        assert transition_due(session(self.covered)) == (Part.OPENING, Part.EXPLORATION)

    def test_not_before(self):
        assert transition_due(session(self.covered, task("b"))) is None

    def test_not_in_a_crisis(self):
        assert transition_due(session(self.covered, risk=CRISIS)) is None

    def test_a_mere_concern_does_not_stop_it(self):
        concern = Risk(level=RiskLevel.CONCERN, outcome=CrisisOutcome.CONCERN, since_seq=1, last_seq=1)
        assert transition_due(session(self.covered, risk=concern)) is not None

    def test_not_while_the_plan_is_made(self):
        assert transition_due(session(self.covered, plan_status=PlanStatus.PLANNING)) is None

    def test_not_in_an_ended_session(self):
        assert transition_due(session(self.covered, status="completed")) is None

    @pytest.mark.parametrize("part", [Part.EXPLORATION, Part.CLOSING])
    def test_later_parts_are_not_left_by_rule(self, part):
        assert transition_due(session(task(part=part, status="sufficient"), current_part=part)) is None


class TestClosing:
    def closing(self, *, status="sufficient", stage="agreed", part=Part.CLOSING):
        return session(task(part=part, status=status), current_part=part, wrap_up=WrapUp(stage=stage))

    def test_is_covered_when_part_3_is_and_the_user_agreed(self):
        assert closing_covered(self.closing())

    def test_is_not_covered_when_one_of_them_is_missing(self):
        cases = [{"status": "pending"}, {"stage": "proposed"}, {"stage": "declined"}, {"part": Part.EXPLORATION}]
        assert [missing for missing in cases if closing_covered(self.closing(**missing))] == []

    def test_nobody_has_agreed_to_what_was_never_proposed(self):
        assert not agreed_to_close(session())
        assert agreed_to_close(session(wrap_up=WrapUp(stage=WrapUpStage.AGREED)))


class TestBounds:
    def test_a_task_is_bounded_by_its_turns_the_present_one_included(self):
        assert {
            spent: got
            for spent, exhausted in ((0, False), (4, False), (5, True), (6, True))
            if (got := turns_exhausted(task(turns_spent=spent, max_turns=6))) is not exhausted
        } == {}

    def in_part_2(self, turns=0, replans=0, **more):
        return session(
            seq=10 + turns,
            part2_started_seq=10,
            part2_task_update_count=replans,
            current_part=more.pop("part", 2),
            **more,
        )

    def test_part_2_by_its_turns(self):
        assert not part2_bounded(self.in_part_2(turns=PART2_MAX_TURNS - 1))
        assert part2_bounded(self.in_part_2(turns=PART2_MAX_TURNS))

    def test_part_2_by_its_replans(self):
        assert not part2_bounded(self.in_part_2(replans=PART2_MAX_REPLANS - 1))
        assert part2_bounded(self.in_part_2(replans=PART2_MAX_REPLANS))

    @pytest.mark.parametrize("part", [Part.OPENING, Part.CLOSING])
    def test_other_parts_are_not_bounded_by_it(self, part):
        assert not part2_bounded(self.in_part_2(turns=100, replans=100, part=part))


class TestDueWork:
    def due(self, messages, supervised=0, reviewed=0, summarized=0, **more):
        marks = Watermarks(supervised=supervised, reviewed=reviewed, summarized=summarized)
        return set(due_work(session(message_count=messages, watermarks=marks, **more)))

    def test_each_work_is_due_from_its_number_of_messages_on_and_stays_due_until_it_is_done(self):
        cases = [
            (0, set()), (2, set()), (3, {Work.SUPERVISE}), (4, {Work.SUPERVISE}),
            (5, {Work.SUPERVISE, Work.REVIEW}), (6, {Work.SUPERVISE, Work.REVIEW, Work.SUMMARIZE}),
        ]  # fmt: skip
        assert {messages: got for messages, work in cases if (got := self.due(messages)) != work} == {}

    def test_what_is_done_is_due_again_only_behind_its_watermark(self):
        assert self.due(8, supervised=6, reviewed=4, summarized=3) == set()
        assert self.due(9, supervised=6, reviewed=4, summarized=3) == {Work.SUPERVISE, Work.REVIEW, Work.SUMMARIZE}

    def test_lost_work_is_due_at_every_later_turn(self):
        assert all(Work.SUPERVISE in self.due(messages, reviewed=messages) for messages in range(3, 30))

    def test_an_ended_session_has_its_closing_work_and_nothing_else(self):
        assert self.due(50, status="completed") == {Work.CLOSE}
        assert self.due(50, status="completed", closing_made=True) == set()
        assert self.due(0, status="completed") == set()
