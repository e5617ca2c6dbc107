"""A random walk over a session: events in any order, repeated and late keep the session's invariants."""

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from shared.domain.conversation import Message, Role, remember
from shared.domain.counseling import background_events as background
from shared.domain.counseling import risk_events as risk
from shared.domain.counseling import session_events, task_events
from shared.domain.counseling.completions import CompletionsWritten
from shared.domain.counseling.lifecycle import closing_covered, may_turn
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.staff_review import FlagReason, Span
from shared.domain.counseling.staff_review_events import FlaggedAfterSessionEnd, FlaggedForReview, SeenByReviewer
from shared.domain.counseling.task import Part, SufficientReason, TaskStatus
from shared.domain.counseling.user_state import UserState
from shared.domain.event import apply_all
from shared.safety.ages import StatedAge
from shared.safety.levels import CrisisOutcome
from shared.safety.reassurance import Reassurance
from tests.builders.sessions import NOW, session, task

IDS = [f"t{n}" for n in range(6)]
ids = st.sampled_from([*IDS, "unknown"])
seqs = st.integers(1, 30)
parts = st.sampled_from(Part)


def tasks_of(part):
    return st.lists(st.sampled_from(IDS), max_size=3).map(
        lambda names: tuple(task(f"p{part}_{n}", part) for n in names)
    )


once_in_effect = st.one_of(
    st.builds(task_events.TaskCovered, task_id=ids, reason=st.sampled_from(SufficientReason), seq=seqs),
    st.builds(background.PlanMade, goal=st.just("g"), keywords=st.just(()), tasks=tasks_of(2)),
    st.builds(background.ClosingStarted, tasks=tasks_of(3)),
    st.builds(session_events.SessionClosed),
    st.builds(session_events.PartCompleted, part=parts),
    st.builds(background.Supervised, seq=seqs, upto=seqs, gist=st.just({})),
    st.builds(background.Reviewed, seq=seqs, upto=seqs, gist=st.just({})),
    st.builds(CompletionsWritten, upto=seqs),
    st.builds(background.Summarized, summary=st.just("s"), upto=seqs),
    st.builds(background.ClosingWorkDone, summary=st.just("all"), goals=st.just(())),
    st.builds(background.WrapUpSuggested, reason=st.just("r")),
    st.builds(session_events.WrapUpProposed, aim=st.sampled_from(["wrap_up", "end"]), seq=seqs),
    st.builds(session_events.WrapUpAgreed),
    st.builds(session_events.MoreWanted, task=parts.map(lambda part: task(f"p{part}_more", part))),
    st.builds(task_events.SlotFilled, slot=st.just("name"), value=st.sampled_from(["지민", 0, False, ""])),
    st.builds(task_events.SlotRejected, slot=st.just("name"), error=st.just("no")),
    st.builds(
        task_events.ModuleChanged,
        module_id=st.sampled_from(["reframing", "wrap_up"]),
        reason=st.just("r"),
        code=st.just("c"),
    ),
    st.builds(
        session_events.UserStateObserved,
        user_state=st.builds(UserState, intensity=st.integers(0, 10)),
        seq=st.none() | seqs,
    ),
    st.builds(session_events.StateFeedbackGiven, kind=st.sampled_from(["circular", "resistance"]), seq=seqs),
    st.builds(
        risk.RiskRaised, outcome=st.sampled_from(CrisisOutcome), rule_ids=st.just(()), seq=seqs, by_words=st.booleans()
    ),
    st.builds(risk.DangerAsked, seq=seqs),
    st.builds(risk.DenialBelieved, seq=seqs),
    st.builds(risk.WishNotDenied, seq=seqs),
    st.builds(task_events.TaskStarted, task_id=ids),
    st.builds(FlaggedForReview, reason=st.sampled_from(FlagReason), seq=seqs, rules=st.just(("r",))),
    st.builds(
        SeenByReviewer,
        spans=seqs.map(lambda seq: (Span(first=seq, last=seq + 2),)),
        note_id=st.sampled_from(["n1", "n2"]),
    ),
)
every_event = st.one_of(
    once_in_effect,
    st.builds(task_events.TaskTurnSpent, task_id=ids),
    st.builds(task_events.SlotAsked, slot=st.sampled_from([None, "name"])),
    st.builds(FlaggedAfterSessionEnd, reason=st.sampled_from(FlagReason)),
    st.builds(risk.RiskReviewed, reviewer=st.just("r"), seq=seqs),
    st.builds(risk.RiskWatched, said=st.lists(st.sampled_from(Reassurance), max_size=2).map(tuple)),
    st.builds(risk.AgeStated, age=st.sampled_from(StatedAge)),
    st.builds(risk.ProtocolReplied),
    st.builds(session_events.WrapUpDeclined),
    st.builds(
        background.PlanRevised, goal=st.just("h"), keywords=st.just(()), tasks=tasks_of(2), answered=st.integers(0, 3)
    ),
)


class Sessions(RuleBasedStateMachine):
    @initialize(
        made=st.lists(st.tuples(parts, st.sampled_from([TaskStatus.PENDING, TaskStatus.SUFFICIENT])), max_size=6),
        part=parts,
    )
    def open(self, made, part):
        tasks = [task(name, p, status=status) for name, (p, status) in zip(IDS, made, strict=False)]
        self.state = session(*tasks, current_part=part)
        self.at = NOW

    def commit(self, *events, turn=False):
        before = self.state
        events = [self.possible(event) for event in events]
        self.at += timedelta(minutes=1)
        base = before
        if turn:
            seq = before.seq + 1
            base = remember(before, *(Message(seq=seq, role=role, text="…", created_at=self.at) for role in Role))
        self.state = apply_all(base, events, self.at)
        self.check_step(before, self.state)

    def possible(self, event):
        """A worker has read no further than the newest message."""
        upto = getattr(event, "upto", 0)
        return event.model_copy(update={"upto": self.state.message_count}) if upto > self.state.message_count else event

    @rule(events=st.lists(every_event, max_size=5))
    def a_turn_commits(self, events):
        self.commit(*events, turn=True)

    @rule(event=every_event)
    def a_worker_commits(self, event):
        self.commit(event)

    @rule(event=once_in_effect)
    def an_event_comes_twice(self, event):
        event = self.possible(event)
        once = event.apply(self.state, self.at)
        assert event.apply(once, self.at + timedelta(hours=1)) == once
        self.commit(event, event)

    @rule()
    def the_newest_task_is_worked_on_to_its_end(self):
        for one in self.state.tasks:
            self.commit(task_events.TaskStarted(task_id=one.id), task_events.TaskTurnSpent(task_id=one.id))
            self.commit(
                task_events.TaskCovered(task_id=one.id, reason=SufficientReason.BOUNDED, seq=self.state.seq + 1)
            )

    def check_step(self, before, after):
        assert after.state_version == before.state_version + 1
        assert after.seq >= before.seq
        assert after.message_count >= before.message_count
        assert after.current_part >= before.current_part
        assert may_turn(before, after.status)
        assert len(after.tasks) >= len(before.tasks)
        for old, new in zip(before.tasks, after.tasks, strict=False):
            assert old.id == new.id
            if old.status is TaskStatus.COMPLETED:
                assert new == old
        for mark in ("supervised", "reviewed", "summarized", "completions"):
            assert (getattr(after.watermarks, mark) or 0) >= (getattr(before.watermarks, mark) or 0)
        if before.ended:
            assert after.ended
            assert after.tasks == before.tasks
            assert (after.current_part, after.ended_at) == (before.current_part, before.ended_at)
            assert after.plan_status == before.plan_status

    @invariant()
    def at_most_one_task_is_in_progress_and_it_is_the_current_one(self):
        running = [one.id for one in self.state.tasks if one.status is TaskStatus.IN_PROGRESS]
        assert len(running) <= 1
        if running:
            assert self.state.current_task == running[0]
            assert self.state.task_in_progress.part == self.state.current_part

    @invariant()
    def the_place_in_the_review_queue_is_that_of_the_review_mark(self):
        mark = self.state.staff_review
        assert self.state.review_place == (mark.place(self.state.conversation_id) if mark else None)

    @invariant()
    def task_ids_are_unique_and_the_current_task_exists(self):
        names = [one.id for one in self.state.tasks]
        assert len(set(names)) == len(names)
        assert self.state.current_task in {None, *names}

    @invariant()
    def an_ended_session_has_no_open_task(self):
        if self.state.ended:
            assert all(one.status is TaskStatus.COMPLETED for one in self.state.tasks)
            assert self.state.current_part is not Part.CLOSING or self.state.progress == 1.0

    @invariant()
    def the_logs_are_bounded_and_in_order(self):
        for log in (self.state.supervision_log, self.state.session_manager_log):
            assert len(log) <= 5
            assert [entry.seq for entry in log] == sorted({entry.seq for entry in log})

    @invariant()
    def the_end_can_be_reached_from_here(self):
        state = self.state
        state = background.ClosingStarted(tasks=(task("last", 3),)).apply(state, self.at)
        for one in state.tasks:
            covered = task_events.TaskCovered(task_id=one.id, reason=SufficientReason.BOUNDED, seq=state.seq + 1)
            state = covered.apply(state, self.at)
        state = session_events.WrapUpAgreed().apply(
            session_events.WrapUpProposed(aim="wrap_up", seq=state.seq).apply(state, self.at), self.at
        )
        assert closing_covered(state) or state.ended or not any(t.part is Part.CLOSING for t in state.tasks)
        assert session_events.SessionClosed().apply(state, self.at).status is SessionStatus.COMPLETED


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
