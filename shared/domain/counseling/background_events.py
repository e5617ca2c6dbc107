"""Events of background agents. They do not change the course of an ended session."""

from collections.abc import Iterable
from datetime import datetime
from typing import assert_never

from pydantic import JsonValue

from shared.domain.counseling.lifecycle import BOUNDED, Work, may_become
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.replanning import answered, revised
from shared.domain.counseling.session import (
    NEWEST_LOG_ENTRIES,
    LogEntry,
    PlanStatus,
    Session,
    SessionStatus,
    WrapUp,
    WrapUpStage,
)
from shared.domain.counseling.sources import SourcedText
from shared.domain.counseling.task import Part, Task, TaskStatus, follows_into
from shared.domain.counseling.task_events import change_tasks
from shared.domain.event import Event


class PlanMade(Event[Session]):
    """Part 1 is closed and Part 2 has its goal and tasks."""

    goal: str
    keywords: tuple[str, ...]
    tasks: tuple[Task, ...]
    persona: UserPersona | None = None

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part is not Part.OPENING:
            return state
        following = change_tasks(state, lambda task: follows_into(task, Part.EXPLORATION))
        closed = close_part(following, Part.OPENING, at)
        return closed.model_copy(
            update={
                "tasks": (*closed.tasks, *_new(self.tasks, closed.tasks)),
                "current_part": Part.EXPLORATION,
                "current_task": None,
                "plan_status": PlanStatus.READY,
                "part2_goal": self.goal,
                "part2_started_seq": state.seq,
                "selected_keywords": self.keywords,
                "user_persona": self.persona or state.user_persona,
            }
        )


class PlanRevised(Event[Session]):
    """Part 2 was planned again: tasks begun or done stay, waiting ones are parked.

    A suggested wrap-up of the previous plan is dropped, unless a bound suggested it. A revision that only
    resumes or parks tasks, as when the user returns to a topic, does not count towards the bound.

    Attributes:
        answered: How many pieces of feedback the plan answers.
        persona: The persona inferred with this plan; None keeps the session's.
    """

    goal: str
    keywords: tuple[str, ...]
    tasks: tuple[Task, ...]
    answered: int
    persona: UserPersona | None = None

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part is not Part.EXPLORATION:
            return state
        wrap_up, revision = state.wrap_up, revised(state.tasks, self.tasks)
        if wrap_up is not None and wrap_up.stage is WrapUpStage.SUGGESTED and wrap_up.reason != BOUNDED:
            wrap_up = None  # it is out of date
        return state.model_copy(
            update={
                "tasks": (*revision.tasks, *revision.added),
                "wrap_up": wrap_up,
                "part2_goal": self.goal,
                "selected_keywords": self.keywords,
                "user_persona": self.persona or state.user_persona,
                "part2_task_update_count": state.part2_task_update_count + 1,
                "resuming_replans": state.resuming_replans + (not revision.added),
                "replanned_seq": state.seq,
                **answered(state, self.answered),
            }
        )


class ClosingStarted(Event[Session]):
    """Part 2 is closed and Part 3 has its tasks; a plan in preparation is no longer needed."""

    tasks: tuple[Task, ...]

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part is Part.CLOSING:
            return state
        closed = close_part(close_part(state, Part.OPENING, at), Part.EXPLORATION, at)
        planned = PlanStatus.NONE if state.plan_status is PlanStatus.PLANNING else state.plan_status
        return closed.model_copy(
            update={
                "tasks": (*closed.tasks, *_new(self.tasks, closed.tasks)),
                "current_part": Part.CLOSING,
                "current_task": None,
                "plan_status": planned,
                "status": SessionStatus.WRAPPING_UP,
            }
        )


class Supervised(Event[Session]):
    seq: int
    upto: int
    gist: dict[str, JsonValue]

    def apply(self, state: Session, at: datetime) -> Session:
        marks = state.watermarks.model_copy(update={"supervised": max(state.watermarks.supervised, self.upto)})
        log = _logged(state.supervision_log, self.seq, at, self.gist)
        return state.model_copy(update={"watermarks": marks, "supervision_log": log})


class Reviewed(Event[Session]):
    seq: int
    upto: int
    gist: dict[str, JsonValue]

    def apply(self, state: Session, at: datetime) -> Session:
        marks = state.watermarks.model_copy(update={"reviewed": max(state.watermarks.reviewed, self.upto)})
        log = _logged(state.session_manager_log, self.seq, at, self.gist)
        return state.model_copy(update={"watermarks": marks, "session_manager_log": log})


class WrapUpSuggested(Event[Session]):
    """The session manager or a bound suggests a wrap-up, which the counsellor will propose."""

    reason: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.status is not SessionStatus.ACTIVE:
            return state
        before = state.wrap_up
        unanswered = before is not None and before.stage is WrapUpStage.PROPOSED and before.seq < state.seq
        if before is not None and before.stage is not WrapUpStage.DECLINED and not unanswered:
            return state
        declined = before.declined if before else 0
        suggestion = WrapUp(stage=WrapUpStage.SUGGESTED, reason=self.reason, seq=state.seq, declined=declined)
        return state.model_copy(update={"wrap_up": suggestion})


class Summarized(Event[Session]):
    """A summary covers messages that left the window.

    Attributes:
        sources: Its sentences with the user's words that they rest on.
    """

    summary: str
    upto: int
    sources: tuple[SourcedText, ...] = ()

    def apply(self, state: Session, at: datetime) -> Session:
        if self.upto <= state.watermarks.summarized:
            return state
        marks = state.watermarks.model_copy(update={"summarized": self.upto})
        return state.model_copy(
            update={"summary_text": self.summary, "summary_sources": self.sources, "watermarks": marks}
        )


class WorkGivenUp(Event[Session]):
    """The model gave no usable answer: the work counts as done up to here without a result."""

    work: Work
    upto: int

    def apply(self, state: Session, at: datetime) -> Session:
        match self.work:
            case Work.SUPERVISE:
                name = "supervised"
            case Work.REVIEW:
                name = "reviewed"
            case Work.SUMMARIZE | Work.PLAN | Work.CLOSE:  # these end with a result made by rule
                return state
            case _:
                assert_never(self.work)
        upto = max(self.upto, getattr(state.watermarks, name))
        return state.model_copy(update={"watermarks": state.watermarks.model_copy(update={name: upto})})


class ClosingWorkDone(Event[Session]):
    """The closing of an ended session, written once; a stand-in closing may be replaced.

    Attributes:
        sources: The summary's sentences with the user's words that they rest on.
        by_rule: Code built it because no usable model answer was available.
        stands_in: No model can be reached at present; the session's summary stays for the final closing.
    """

    summary: str
    goals: tuple[str, ...]
    sources: tuple[SourcedText, ...] = ()
    next_session: str = ""
    by_rule: bool = False
    stands_in: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        if state.closing_made and (self.stands_in or state.stand_in_summary is None):
            return state
        summarized = state.watermarks.model_copy(update={"summarized": state.message_count})
        summary = {"stand_in_summary": self.summary} if self.stands_in else {"stand_in_summary": None}
        memory = {"summary_text": self.summary, "summary_sources": self.sources, "watermarks": summarized}
        return state.model_copy(
            update={
                **({} if self.stands_in else memory),
                **summary,
                "goals": self.goals,
                "next_session": self.next_session,
                "closing_made": True,
                "closing_by_rule": self.by_rule,
            }
        )


def close_part(session: Session, part: Part, at: datetime) -> Session:
    """Complete every task of a Part."""

    def close(task: Task) -> Task:
        if task.part != part or not may_become(task, TaskStatus.COMPLETED):
            return task
        return task.model_copy(update={"status": TaskStatus.COMPLETED, "completed_at": task.completed_at or at})

    return change_tasks(session, close)


def _new(tasks: Iterable[Task], present: Iterable[Task]) -> tuple[Task, ...]:
    known = {task.id for task in present}
    return tuple({task.id: task for task in tasks if task.id not in known}.values())


def _logged(log: tuple[LogEntry, ...], seq: int, at: datetime, gist: dict[str, JsonValue]) -> tuple[LogEntry, ...]:
    """Add an entry once, sorted by `seq`, so that the last is always the newest."""
    if any(entry.seq == seq for entry in log):
        return log
    entries = sorted((*log, LogEntry(seq=seq, at=at, data=gist)), key=lambda entry: entry.seq)
    return tuple(entries[-NEWEST_LOG_ENTRIES:])
