"""Who may change what into what: statuses of tasks and sessions, Part completion, bounds and due work."""

from enum import StrEnum

from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, Task, TaskStatus, part_covered

SUPERVISE_EVERY = 3
"""Messages of the user between two supervisions (seed 000)."""
REVIEW_EVERY = 5
"""Messages of the user between two reviews (seed 000)."""
SUMMARIZE_EVERY = 6
"""Messages of the user between two summaries: fewer than the window holds, so that nothing falls between."""
PLAN_EVERY = 3
"""Turns of waiting for a plan between two tasks that make up for a lost one. Own figure."""
PART2_MAX_TURNS = 40
"""Turns of Part 2 after which a wrap-up is proposed."""
PART2_MAX_REPLANS = 5
"""Re-plans of Part 2 after which a wrap-up is proposed."""

_TASK_STEPS = {
    TaskStatus.PENDING: {TaskStatus.IN_PROGRESS, TaskStatus.SUFFICIENT, TaskStatus.COMPLETED},
    TaskStatus.IN_PROGRESS: {TaskStatus.PENDING, TaskStatus.SUFFICIENT, TaskStatus.COMPLETED},
    TaskStatus.SUFFICIENT: {TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED},
    TaskStatus.COMPLETED: set[TaskStatus](),
}
_SESSION_STEPS = {
    SessionStatus.ACTIVE: {SessionStatus.WRAPPING_UP, SessionStatus.COMPLETED},
    SessionStatus.WRAPPING_UP: {SessionStatus.ACTIVE, SessionStatus.COMPLETED},
    SessionStatus.COMPLETED: set[SessionStatus](),
}


class Work(StrEnum):
    """Background work that watermarks make due."""

    SUPERVISE = "supervise"
    REVIEW = "review"
    SUMMARIZE = "summarize"
    PLAN = "plan"
    """Only when the transition's event did not bring a plan by the next turn."""
    CLOSE = "close"


def may_become(task: Task, status: TaskStatus) -> bool:
    """Tell whether a task may take a status (staying is always allowed)."""
    return status is task.status or status in _TASK_STEPS[task.status]


def may_turn(session: Session, status: SessionStatus) -> bool:
    """Tell whether a session may take a status (staying is always allowed)."""
    return status is session.status or status in _SESSION_STEPS[session.status]


def turns_exhausted(task: Task) -> bool:
    """Tell whether a task has had its turns, the present one included."""
    return task.turns_spent + 1 >= task.max_turns


def transition_due(session: Session) -> tuple[Part, Part] | None:
    """Return the transition that rules alone find due; Part 2's is the session manager's judgement.

    None while a crisis is being followed through, or while a transition is under way.
    """
    if session.ended or session.risk.follow_through or session.plan_status is PlanStatus.PLANNING:
        return None
    if session.current_part is Part.OPENING and part_covered(session.tasks, Part.OPENING):
        return Part.OPENING, Part.EXPLORATION
    return None


def agreed_to_close(session: Session) -> bool:
    """Tell whether the user has agreed to wrap up."""
    return session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.AGREED


def closing_covered(session: Session) -> bool:
    """Tell whether Part 3 is covered and the user agreed: the session may end (domain.md, "3 → end")."""
    return (
        session.current_part is Part.CLOSING and part_covered(session.tasks, Part.CLOSING) and agreed_to_close(session)
    )


def awaits_closing(session: Session) -> bool:
    """Tell whether a session is over and its closing work is not done; of one without a word nothing is kept."""
    return session.ended and session.message_count > 0 and not session.closing_made


def part2_bounded(session: Session) -> bool:
    """Tell whether Part 2 has used up its turns or re-plans, so that wrap-up is to be proposed."""
    if session.current_part is not Part.EXPLORATION or session.part2_started_seq is None:
        return False
    turns = session.seq - session.part2_started_seq
    return turns >= PART2_MAX_TURNS or session.part2_task_update_count >= PART2_MAX_REPLANS


def due_work(session: Session) -> tuple[Work, ...]:
    """Return the background work that is due after a turn: by watermark, so that lost work is due again.

    What is due stays due until it is done, and so comes up at every later turn. The task's name bears the turn at which
    the work fell due (`due.fell_due`), not the present one: work that is slow or tries again is queued once. What
    the queue never took is queued at the next turn, under the same name; what was given up, its name used, when
    its period has passed once more (three, five or six messages later), with all that was left undone.
    """
    marks = session.watermarks
    if session.ended:
        return (Work.CLOSE,) if awaits_closing(session) else ()
    waiting = {
        Work.SUPERVISE: session.message_count - marks.supervised >= SUPERVISE_EVERY,
        Work.REVIEW: session.message_count - marks.reviewed >= REVIEW_EVERY,
        Work.SUMMARIZE: session.message_count - marks.summarized >= SUMMARIZE_EVERY,
        Work.PLAN: session.plan_status is PlanStatus.PLANNING and session.seq > (session.planning_seq or 0),
    }
    return tuple(work for work, is_due in waiting.items() if is_due)


def overdue_work(session: Session) -> tuple[Work, ...]:
    """Return the work to make up for when nobody speaks any more: a plan that no event brought is among it."""
    due = due_work(session)
    planning = not session.ended and session.plan_status is PlanStatus.PLANNING
    return (*due, Work.PLAN) if planning and Work.PLAN not in due else due
