"""Completions: noted by turns, written by jobs, each once, whoever comes when."""

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from shared.domain.counseling.background_events import ClosingStarted, PlanRevised
from shared.domain.counseling.completions import MOST_UNWRITTEN, CompletionsWritten, completions_due
from shared.domain.counseling.records import Completion
from shared.domain.counseling.session import NEWEST_LOG_ENTRIES, LogEntry
from shared.domain.counseling.session_events import SessionClosed
from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.counseling.task_events import TaskCovered, TaskStarted
from shared.domain.event import apply_all
from tests.fakes.counselling import NOW, session, task

LATER = NOW + timedelta(minutes=5)


def covered(task_id, seq, evidence="", reason=SufficientReason.GATE):
    return TaskCovered(task_id=task_id, reason=reason, evidence=evidence, seq=seq)


def ids(state):
    return [record.record_id for record in completions_due(state)]


def written(state):
    """The session after a job."""
    return CompletionsWritten(upto=completions_due(state)[-1].seq).apply(state, LATER)


class TestWhatIsDue:
    def test_a_document_says_all_that_the_turn_found(self):
        before = session(task("a"))
        state = covered("a", 4, "잠이 안 와요", SufficientReason.JUDGED).apply(before, LATER)
        assert completions_due(state) == (
            Completion(
                record_id="4-a",
                created_at=LATER,
                expire_at=before.expire_at,
                task_id="a",
                reason=SufficientReason.JUDGED,
                evidence="잠이 안 와요",
                seq=4,
            ),
        )

    def test_two_tasks_of_one_turn_are_both_due_and_nothing_is_when_they_are_written(self):
        state = apply_all(session(task("a"), task("b")), [covered("a", 4), covered("b", 4)], LATER)
        assert ids(state) == ["4-a", "4-b"]
        assert ids(written(state)) == []

    def test_a_task_that_is_covered_anew_before_any_job_comes_is_due_twice(self):
        events = [covered("a", 1, "하나"), TaskStarted(task_id="a"), covered("a", 2, "둘")]
        state = apply_all(session(task("a")), events, LATER)
        assert [(record.record_id, record.evidence) for record in completions_due(state)] == [
            ("1-a", "하나"),
            ("2-a", "둘"),
        ]

    def test_what_became_of_the_task_since_does_not_matter(self):
        state = covered("a", 1).apply(session(task("a", Part.EXPLORATION), current_part=Part.EXPLORATION), LATER)
        waiting = apply_all(state, [TaskStarted(task_id="a"), TaskStarted(task_id="b")], LATER)
        retired = PlanRevised(goal="g", keywords=(), tasks=(), answered=1).apply(waiting, LATER)
        for after in (retired, ClosingStarted(tasks=()).apply(retired, LATER), SessionClosed().apply(state, LATER)):
            assert ids(after) == ["1-a"]

    def test_a_task_that_was_closed_meanwhile_did_not_become_sufficient(self):
        closed = SessionClosed().apply(session(task("a")), LATER)
        assert ids(covered("a", 3).apply(closed, LATER)) == []

    def test_what_turns_wrote_themselves_before_there_was_a_watermark_is_not_written_again(self):
        entries = [LogEntry(seq=n, at=NOW, data={"task": "b", "reason": "gate", "evidence": ""}) for n in (1, 3)]
        old = session(task("a"), completion_log=entries)
        assert completions_due(old) == ()
        assert ids(covered("a", 4).apply(old, LATER)) == ["4-a"]


class TestTheLog:
    def test_holds_the_newest_few_and_all_that_is_not_written(self):
        state = session(*(task(f"t{n}") for n in range(1, 9)))
        for n in range(1, 9):
            state = covered(f"t{n}", n).apply(state, LATER)
        assert len(ids(state)) == 8
        assert [entry.seq for entry in written(state).completion_log] == list(range(1, 9))[-NEWEST_LOG_ENTRIES:]

    def test_is_bounded_though_no_job_comes_for_ever(self):
        turns = range(1, MOST_UNWRITTEN + 3)
        state = session(*(task(f"t{n}") for n in turns))
        for n in turns:
            state = covered(f"t{n}", n).apply(state, LATER)
        assert len(state.completion_log) == MOST_UNWRITTEN
        assert ids(state)[-1] == f"{turns[-1]}-t{turns[-1]}"

    def test_a_late_or_repeated_mark_changes_nothing(self):
        state = written(apply_all(session(task("a"), task("b")), [covered("a", 4), covered("b", 6)], LATER))
        assert CompletionsWritten(upto=4).apply(state, LATER) is state
        assert CompletionsWritten(upto=6).apply(state, LATER) is state


class TurnsAndJobs(RuleBasedStateMachine):
    """Turns cover tasks and choose them again; jobs come when they like; a document is created once."""

    tasks = ("a", "b", "c")

    @initialize(older=st.booleans())
    def open(self, older):
        self.seq = 2 if older else 0
        entry = LogEntry(seq=1, at=NOW, data={"task": "a", "reason": "gate", "evidence": ""})
        self.state = session(*map(task, self.tasks), seq=self.seq, completion_log=[entry] if older else [])
        self.noted = []
        self.stored = []

    @rule(covers=st.sets(st.sampled_from(tasks)), chooses=st.sampled_from([None, *tasks]))
    def a_turn(self, covers, chooses):
        self.seq += 1
        for one in sorted(covers):
            if not self.state.task(one).covered:
                self.noted.append(f"{self.seq}-{one}")
            self.state = covered(one, self.seq).apply(self.state, LATER)
        if chooses:
            self.state = TaskStarted(task_id=chooses).apply(self.state, LATER)

    @rule()
    def a_job(self):
        due = ids(self.state)
        assert not set(due) & set(self.stored), "a document that is there cannot be created"
        self.stored += due
        self.state = written(self.state) if due else self.state

    @rule()
    def the_closing_begins(self):
        self.state = ClosingStarted(tasks=()).apply(self.state, LATER)

    @invariant()
    def everything_noted_is_stored_or_due_in_its_order(self):
        assert self.stored + ids(self.state) == self.noted


TestTurnsAndJobs = TurnsAndJobs.TestCase
TestTurnsAndJobs.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
