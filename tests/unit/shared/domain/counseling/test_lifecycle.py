from itertools import product

from shared.domain.counseling import lifecycle
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.session import PlanStatus, SessionStatus, Watermarks, WrapUp
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.counseling.user_state import UserState
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


def test_tasks_and_sessions_make_only_the_allowed_transitions():
    for before, after in product(TaskStatus, TaskStatus):
        legal = after in TASK_STEPS[before] or before is after
        assert lifecycle.may_become(task(status=before), after) == legal, (before, after)
    for before, after in product(SessionStatus, SessionStatus):
        legal = after in SESSION_STEPS[before] or before is after
        assert lifecycle.may_turn(session(status=before), after) == legal, (before, after)


def test_a_transition_is_due_only_from_a_covered_part_1_without_a_crisis_or_a_plan():
    covered = task(status="sufficient")
    for state in (session(covered), session(covered, risk=CONCERN)):
        assert lifecycle.transition_due(state) == (Part.OPENING, Part.EXPLORATION)
    not_due = [
        session(covered, task("b")),
        session(covered, risk=CRISIS),
        session(covered, plan_status=PlanStatus.PLANNING),
        session(covered, status="completed"),
        *(session(task(part=part, status="sufficient"), current_part=part) for part in (2, 3)),
    ]
    assert [state for state in not_due if lifecycle.transition_due(state)] == []


def test_the_closing_is_covered_when_part_3_is_covered_and_the_user_agreed():
    def covered(*, status="sufficient", stage="agreed", part=Part.CLOSING):
        return lifecycle.closing_covered(
            session(task(part=part, status=status), current_part=part, wrap_up=WrapUp(stage=stage))
        )

    assert covered()
    for missing in ({"status": "pending"}, {"stage": "proposed"}, {"stage": "declined"}, {"part": Part.EXPLORATION}):
        assert not covered(**missing), missing
    assert lifecycle.agreed_to_close(session(wrap_up=WrapUp(stage="agreed")))
    assert not lifecycle.agreed_to_close(session()), "nothing was proposed"


def test_a_task_is_exhausted_by_its_turns_including_the_present_one():
    cases = {0: False, 4: False, 5: True, 6: True}
    assert {spent: lifecycle.turns_exhausted(task(turns_spent=spent, max_turns=6)) for spent in cases} == cases


def test_only_part_2_is_bounded_by_turns_and_replans():
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

    def test_starts_at_each_works_number_of_messages_and_lasts_until_it_is_done(self):
        one, two = {lifecycle.Work.SUPERVISE}, {lifecycle.Work.SUPERVISE, lifecycle.Work.REVIEW}
        three = {*two, lifecycle.Work.SUMMARIZE}
        cases = {0: set(), 2: set(), 3: one, 4: one, 5: two, 6: three}
        assert {messages: self.due(messages) for messages in cases} == cases
        assert all(lifecycle.Work.SUPERVISE in self.due(messages, reviewed=messages) for messages in range(3, 30))
        assert self.due(8, supervised=6, reviewed=4, summarized=3) == set()
        assert self.due(9, supervised=6, reviewed=4, summarized=3) == three

    def test_waits_for_the_counselling_in_a_conversation_that_was_opened_in_another_service(self):
        assert self.due(9, flow="booking") == {lifecycle.Work.SUMMARIZE}
        read = (StateReading.of(UserState(), 9),)
        assert self.due(9, flow="booking", readings=read) == self.due(9)

    def test_is_only_the_closing_work_for_an_ended_session(self):
        assert self.due(50, status="completed") == {lifecycle.Work.CLOSE}
        assert self.due(50, status="completed", closing_made=True) == set()
        assert self.due(0, status="completed") == set()
