from itertools import product

import pytest

from shared.domain.counseling import lifecycle
from shared.domain.counseling.session import PlanStatus, SessionStatus, Watermarks, WrapUp
from shared.domain.counseling.task import Part, TaskStatus
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.builders.sessions import session, task

CRISIS = Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS, since_seq=1, last_seq=1)
CONCERN = Risk(level=RiskLevel.CONCERN, outcome=CrisisOutcome.CONCERN, since_seq=1, last_seq=1)
TASK_STEPS = {
    "pending": {"in_progress", "sufficient", "completed"},
    "in_progress": {"pending", "sufficient", "completed"},
    "sufficient": {"in_progress", "completed"},
    "completed": set(),
}
SESSION_STEPS = {"active": {"wrapping_up", "completed"}, "wrapping_up": {"active", "completed"}, "completed": set()}


def test_tasks_and_sessions_take_their_steps_and_no_others():
    for before, after in product(TaskStatus, TaskStatus):
        legal = after in TASK_STEPS[before] or before is after
        assert lifecycle.may_become(task(status=before), after) == legal, (before, after)
    for before, after in product(SessionStatus, SessionStatus):
        legal = after in SESSION_STEPS[before] or before is after
        assert lifecycle.may_turn(session(status=before), after) == legal, (before, after)


class TestTransitionDue:
    covered = task(status="sufficient")

    def test_part_1_is_left_when_it_is_covered(self):
        for state in (session(self.covered), session(self.covered, risk=CONCERN)):
            assert lifecycle.transition_due(state) == (Part.OPENING, Part.EXPLORATION)

    @pytest.mark.parametrize(
        "state",
        [
            session(covered, task("b")),
            session(covered, risk=CRISIS),
            session(covered, plan_status=PlanStatus.PLANNING),
            session(covered, status="completed"),
            session(task(part=2, status="sufficient"), current_part=2),
            session(task(part=3, status="sufficient"), current_part=3),
        ],
        ids=["waiting task", "crisis", "planning", "ended", "part 2", "part 3"],
    )
    def test_otherwise_no_part_is_left_by_rule(self, state):
        assert lifecycle.transition_due(state) is None


def test_the_closing_is_covered_when_part_3_is_and_the_user_agreed():
    def covered(*, status="sufficient", stage="agreed", part=Part.CLOSING):
        return lifecycle.closing_covered(
            session(task(part=part, status=status), current_part=part, wrap_up=WrapUp(stage=stage))
        )

    assert covered()
    for missing in ({"status": "pending"}, {"stage": "proposed"}, {"stage": "declined"}, {"part": Part.EXPLORATION}):
        assert not covered(**missing), missing
    assert lifecycle.agreed_to_close(session(wrap_up=WrapUp(stage="agreed")))
    assert not lifecycle.agreed_to_close(session()), "nothing was proposed"


def test_a_task_is_bounded_by_its_turns_the_present_one_included():
    cases = {0: False, 4: False, 5: True, 6: True}
    assert {spent: lifecycle.turns_exhausted(task(turns_spent=spent, max_turns=6)) for spent in cases} == cases


def test_part_2_alone_is_bounded_by_its_turns_and_replans():
    def bounded(turns=0, replans=0, part=2):
        since = {"part2_started_seq": 10, "part2_task_update_count": replans, "current_part": part}
        return lifecycle.part2_bounded(session(seq=10 + turns, **since))

    assert [bounded(turns=lifecycle.PART2_MAX_TURNS - n) for n in (1, 0)] == [False, True]
    assert [bounded(replans=lifecycle.PART2_MAX_REPLANS - n) for n in (1, 0)] == [False, True]
    assert not any(bounded(turns=100, replans=100, part=part) for part in (1, 3))


class TestDueWork:
    def due(self, messages, supervised=0, reviewed=0, summarized=0, **more):
        marks = Watermarks(supervised=supervised, reviewed=reviewed, summarized=summarized)
        return set(lifecycle.due_work(session(message_count=messages, watermarks=marks, **more)))

    def test_each_work_is_due_from_its_number_of_messages_on_and_stays_due_until_it_is_done(self):
        two = {lifecycle.Work.SUPERVISE, lifecycle.Work.REVIEW}
        cases = {
            0: set(),
            2: set(),
            3: {lifecycle.Work.SUPERVISE},
            4: {lifecycle.Work.SUPERVISE},
            5: two,
            6: {*two, lifecycle.Work.SUMMARIZE},
        }
        assert {messages: self.due(messages) for messages in cases} == cases
        assert all(lifecycle.Work.SUPERVISE in self.due(messages, reviewed=messages) for messages in range(3, 30))
        assert self.due(8, supervised=6, reviewed=4, summarized=3) == set()
        assert self.due(9, supervised=6, reviewed=4, summarized=3) == {
            lifecycle.Work.SUPERVISE,
            lifecycle.Work.REVIEW,
            lifecycle.Work.SUMMARIZE,
        }

    def test_an_ended_session_has_its_closing_work_and_nothing_else(self):
        assert self.due(50, status="completed") == {lifecycle.Work.CLOSE}
        assert self.due(50, status="completed", closing_made=True) == set()
        assert self.due(0, status="completed") == set()
