"""What the background agents find. Each leaves an ended session's course alone."""

from collections.abc import Iterable
from datetime import datetime

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
from shared.domain.counseling.task import Part, Task, TaskStatus
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
        closed = close_part(state, Part.OPENING, at)
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
    """Part 2 was planned anew: what was begun or is done stays, what waits is put aside with its topic.

    A wrap-up that was suggested for the plan before is not proposed any more; one that a bound suggested is.

    Attributes:
        answered: Feedback that the plan answers.
        persona: Inferred only now; None when the session's is to stay.
    """

    goal: str
    keywords: tuple[str, ...]
    tasks: tuple[Task, ...]
    answered: int
    persona: UserPersona | None = None

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part is not Part.EXPLORATION:
            return state

        revision = revised(state.tasks, self.tasks)
        return state.model_copy(
            update={
                "tasks": (*revision.tasks, *revision.added),
                "wrap_up": None if _out_of_date(state.wrap_up) else state.wrap_up,
                "part2_goal": self.goal,
                "selected_keywords": self.keywords,
                "user_persona": self.persona or state.user_persona,
                "part2_task_update_count": state.part2_task_update_count + 1,
                "replanned_seq": state.seq,
                **answered(state, self.answered),
            }
        )


class ClosingStarted(Event[Session]):
    """Part 2 is closed and Part 3's tasks are there; a plan still being made has become needless."""

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
    """The supervisor judged the turns up to `seq`."""

    seq: int
    upto: int
    gist: dict[str, JsonValue]

    def apply(self, state: Session, at: datetime) -> Session:
        marks = state.watermarks.model_copy(update={"supervised": max(state.watermarks.supervised, self.upto)})
        log = _logged(state.supervision_log, self.seq, at, self.gist)
        return state.model_copy(update={"watermarks": marks, "supervision_log": log})


class Reviewed(Event[Session]):
    """The session manager reviewed the session up to `seq`."""

    seq: int
    upto: int
    gist: dict[str, JsonValue]

    def apply(self, state: Session, at: datetime) -> Session:
        marks = state.watermarks.model_copy(update={"reviewed": max(state.watermarks.reviewed, self.upto)})
        log = _logged(state.session_manager_log, self.seq, at, self.gist)
        return state.model_copy(update={"watermarks": marks, "session_manager_log": log})


class WrapUpSuggested(Event[Session]):
    """Time to close, as the session manager or a bound sees it; the Counselor will propose it."""

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
    """What left the window is in the summary."""

    summary: str
    upto: int

    def apply(self, state: Session, at: datetime) -> Session:
        if self.upto <= state.watermarks.summarized:
            return state
        marks = state.watermarks.model_copy(update={"summarized": self.upto})
        return state.model_copy(update={"summary_text": self.summary, "watermarks": marks})


class WorkGivenUp(Event[Session]):
    """No answer of the model was of use: the work counts as done up to here, and nothing is known of it."""

    work: Work
    upto: int

    def apply(self, state: Session, at: datetime) -> Session:
        name = {Work.SUPERVISE: "supervised", Work.REVIEW: "reviewed"}.get(self.work)
        if name is None:
            return state
        upto = max(self.upto, getattr(state.watermarks, name))
        return state.model_copy(update={"watermarks": state.watermarks.model_copy(update={name: upto})})


class ClosingWorkDone(Event[Session]):
    """The ended session has its closing, once; one that stands in is replaced.

    Attributes:
        by_rule: Code put it together; no answer of a model could be had, or none was of use.
        stands_in: No model can be reached at present: the session's summary stays as it is, for the one that follows.
    """

    summary: str
    goals: tuple[str, ...]
    next_session: str = ""
    by_rule: bool = False
    stands_in: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        if state.closing_made and (self.stands_in or state.stand_in_summary is None):
            return state
        summarized = state.watermarks.model_copy(update={"summarized": state.message_count})
        summary = {"stand_in_summary": self.summary} if self.stands_in else {"stand_in_summary": None}
        memory = {} if self.stands_in else {"summary_text": self.summary, "watermarks": summarized}
        return state.model_copy(
            update={
                **memory,
                **summary,
                "goals": self.goals,
                "next_session": self.next_session,
                "closing_made": True,
                "closing_by_rule": self.by_rule,
            }
        )


def _out_of_date(wrap_up: WrapUp | None) -> bool:
    return wrap_up is not None and wrap_up.stage is WrapUpStage.SUGGESTED and wrap_up.reason != BOUNDED


def close_part(session: Session, part: Part, at: datetime) -> Session:
    """Complete every task of a Part."""

    def close(task: Task) -> Task:
        if task.part != part or not may_become(task, TaskStatus.COMPLETED):
            return task
        return task.model_copy(update={"status": TaskStatus.COMPLETED, "completed_at": task.completed_at or at})

    return change_tasks(session, close)


def _new(tasks: Iterable[Task], present: Iterable[Task]) -> tuple[Task, ...]:
    """Leave out what is there already, and what one plan names twice: an id is one task's."""
    known = {task.id for task in present}
    return tuple({task.id: task for task in tasks if task.id not in known}.values())


def _logged(log: tuple[LogEntry, ...], seq: int, at: datetime, gist: dict[str, JsonValue]) -> tuple[LogEntry, ...]:
    """Add an entry once; a late one takes its place by `seq`, so that the last is always the newest."""
    if any(entry.seq == seq for entry in log):
        return log
    entries = sorted((*log, LogEntry(seq=seq, at=at, data=gist)), key=lambda entry: entry.seq)
    return tuple(entries[-NEWEST_LOG_ENTRIES:])
