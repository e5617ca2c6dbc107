"""Requests for a re-plan of Part 2, their bounds and their outcome."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS, feedback_rests
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.domain.event import Event
from shared.model import Model

REASON_LENGTH = 500


class ReplansAnswered(Event[Session]):
    """Feedback was answered without changing the plan."""

    answered: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update=answered(state, self.answered))


def answered(state: Session, number: int) -> dict[str, int | None]:
    """Return the changed fields after answering so many pieces of feedback; newer ones stay."""
    left = max(0, state.replans - number)
    return {"replans": left, "replan_seq": state.seq if left else None, "replan_rounds": state.replan_rounds + 1}


def may_replan(session: Session) -> bool:
    """Tell whether a worker may ask for a re-plan: in a planned Part 2, within the bound, and not in a crisis.

    While feedback rests after a re-plan, at most one request is kept.
    """
    if session.replans and feedback_rests(session):
        return False
    return (
        not session.ended
        and session.current_part is Part.EXPLORATION
        and session.plan_status is PlanStatus.READY
        and not session.risk.follow_through
        and session.replans + session.counted_replans < PART2_MAX_REPLANS
    )


def may_be_revised(session: Session) -> bool:
    """Tell whether the plan can still be changed."""
    return not session.ended and session.current_part is Part.EXPLORATION


def waits_in_part2(task: Task) -> bool:
    """Tell whether a re-plan parks a task: tasks begun or done stay."""
    untouched = task.status is TaskStatus.PENDING and task.started_at is None
    return task.part is Part.EXPLORATION and untouched and not task.parked


class PlanRevision(Model):
    """Changes of a re-plan to the tasks of Part 2.

    Attributes:
        tasks: The existing tasks, each parked, resumed or unchanged.
        added: New tasks. One with the title of a waiting task is that task.
    """

    tasks: tuple[Task, ...]
    added: tuple[Task, ...]


def revised(present: Sequence[Task], proposed: Iterable[Task]) -> PlanRevision:
    """Return the tasks after a re-plan: tasks of the previous topic are parked, none is dropped."""
    by_title = {plain_title(task.title): task for task in reversed(tuple(proposed))}
    uncovered = {plain_title(task.title) for task in present if task.part is Part.EXPLORATION and not task.covered}
    ids = {task.id for task in present}

    def after(task: Task) -> Task:
        if task.part is not Part.EXPLORATION or task.covered:
            return task
        if plain_title(task.title) in by_title:
            return task.model_copy(update={"parked": False})
        return task.model_copy(update={"parked": True}) if waits_in_part2(task) else task

    added = {task.id: task for title, task in by_title.items() if title not in uncovered and task.id not in ids}
    return PlanRevision(tasks=tuple(after(task) for task in present), added=tuple(reversed(added.values())))


def plain_title(title: str) -> str:
    """Normalise a title for comparison: no spaces, case folded."""
    return "".join(title.split()).casefold()


def feedback(
    session: Session, source: FeedbackSource, *, kind: str, reason: str, seq: int, at: datetime
) -> PlannerFeedback:
    """Return the document that triggers the planner; written with a `ReplanAsked`."""
    return PlannerFeedback(
        record_id=f"{seq}-{source.value}",
        created_at=at,
        expire_at=session.expire_at,
        source=source,
        kind=kind,
        reason=reason[:REASON_LENGTH],
        seq=seq,
    )
