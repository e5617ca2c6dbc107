"""Completions: noted by turns, written by jobs, each once, in any order of turns and jobs."""

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.completions import MOST_UNWRITTEN, CompletionsWritten, completions_due
from shared.domain.counseling.records import Completion
from shared.domain.counseling.session import NEWEST_LOG_ENTRIES, LogEntry
from shared.domain.counseling.task_events import TaskCovered, TaskStarted
from tests.builders.sessions import NOW, session, task

LATER = NOW + timedelta(minutes=5)


def covered(task_id, seq, evidence="", reason="gate"):
    return TaskCovered(task_id=task_id, reason=reason, evidence=evidence, seq=seq)


def ids(state):
    return [record.record_id for record in completions_due(state)]


def written(state):
    return CompletionsWritten(upto=completions_due(state)[-1].seq).apply(state, LATER)


def test_a_completion_document_has_all_fields_of_the_event():
    before = session(task("a"))
    found = {"task_id": "a", "reason": "judged", "evidence": "잠이 안 와요", "seq": 4}
    document = Completion(record_id="4-a", created_at=LATER, expire_at=before.expire_at, **found)
    assert completions_due(TaskCovered(**found).apply(before, LATER)) == (document,)


def test_the_log_keeps_the_newest_entries_and_all_unwritten_ones_up_to_a_bound():
    def after(turns):
        state = session(*(task(f"t{n}") for n in turns))
        for n in turns:
            state = covered(f"t{n}", n).apply(state, LATER)
        return state

    state = after(range(1, 9))
    assert len(ids(state)) == 8
    assert [one.seq for one in written(state).completion_log] == list(range(1, 9))[-NEWEST_LOG_ENTRIES:]
    newest = MOST_UNWRITTEN + 2
    state = after(range(1, newest + 1))
    assert len(state.completion_log) == MOST_UNWRITTEN
    assert ids(state)[-1] == f"{newest}-t{newest}"


class TurnsAndJobs(RuleBasedStateMachine):
    """Turns cover tasks and choose them again; jobs run at any time; a document is created once."""

    tasks = ("a", "b", "c")

    @initialize(older=st.booleans())
    def open(self, older):
        self.seq = 2 if older else 0
        log = [LogEntry(seq=1, at=NOW, data={"task": "a", "reason": "gate", "evidence": ""})]
        self.state = session(*map(task, self.tasks), seq=self.seq, completion_log=log if older else [])
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
        assert not set(due) & set(self.stored), "an existing document cannot be created again"
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
