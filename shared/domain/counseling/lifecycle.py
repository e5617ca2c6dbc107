"""Lifecycle rules: allowed status changes of tasks and sessions, Part completion, bounds and due work."""

from enum import StrEnum

from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, Task, TaskStatus, part_covered

SUPERVISE_EVERY = 3
"""Messages of the user between two supervisions."""
REVIEW_EVERY = 5
"""Messages of the user between two reviews."""
REVIEW_AFTER_REPLAN = 2
"""Turns after a re-plan until a review is brought forward."""
SUMMARIZE_EVERY = 6
"""Messages of the user between two summaries: fewer than the window holds, so that none is lost."""
PLAN_EVERY = 3
"""Turns between two tasks for a plan that no event brought."""
FEEDBACK_REST = 3
"""Turns after a re-plan without another one, so that the plan can take effect. Feedback waits until then."""
PART2_MAX_TURNS = 40
"""Turns of Part 2 after which a wrap-up is proposed."""
PART2_MAX_REPLANS = 5
"""Re-plans of Part 2 after which a wrap-up is proposed."""
LONGEST_UNEXPLAINED = 5
"""Turns after its bound for which a task stays open to explain how the talk goes; in the last one it is explained."""
BOUNDED = "bounded"
"""Reason of a wrap-up suggested because Part 2 used up its turns or re-plans."""
ALL_SAID = "all_said"
"""Reason of a wrap-up suggested because the user says that they have said everything."""

_COUNSELING = "counseling"

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
    """Only if no plan came by the next turn after a transition or feedback."""
    CLOSE = "close"


def may_become(task: Task, status: TaskStatus) -> bool:
    """Tell whether a task may take a status; its current one is always allowed."""
    return status is task.status or status in _TASK_STEPS[task.status]


def may_turn(session: Session, status: SessionStatus) -> bool:
    """Tell whether a session may take a status; its current one is always allowed."""
    return status is session.status or status in _SESSION_STEPS[session.status]


def turns_exhausted(task: Task) -> bool:
    """Tell whether a task has used up its turns, the current one included."""
    return task.turns_spent + 1 >= task.max_turns


def unexplained(session: Session, task: Task) -> bool:
    """Tell whether a task has not yet asked for the agreement to how the talk goes."""
    return any(slot.agrees and slot.name not in session.asked for slot in task.required_slots)


def last_chance(session: Session, task: Task) -> bool:
    """Tell whether the task explains how the talk goes now or never."""
    return unexplained(session, task) and task.turns_spent >= task.max_turns + LONGEST_UNEXPLAINED - 1


def transition_due(session: Session) -> tuple[Part, Part] | None:
    """Return the transition that the rules find due; the session manager judges Part 2's.

    None during a crisis follow-up or a transition.
    """
    if session.ended or session.risk.follow_through or session.plan_status is PlanStatus.PLANNING:
        return None
    if session.current_part is Part.OPENING and part_covered(session.tasks, Part.OPENING):
        return Part.OPENING, Part.EXPLORATION
    return None


def agreed_to_close(session: Session) -> bool:
    return session.wrap_up is not None and session.wrap_up.stage is WrapUpStage.AGREED


def closing_covered(session: Session) -> bool:
    """Tell whether Part 3 is covered and the user agreed, so that the session may end."""
    return (
        session.current_part is Part.CLOSING and part_covered(session.tasks, Part.CLOSING) and agreed_to_close(session)
    )


def awaits_closing(session: Session) -> bool:
    """Tell whether an ended session with messages lacks its final closing."""
    done = session.closing_made and session.stand_in_summary is None
    return session.ended and session.message_count > 0 and not done


def part_before_closing(session: Session) -> Part:
    """Return the Part before the closing Part, or the current one."""
    if session.current_part is not Part.CLOSING:
        return session.current_part
    return Part.OPENING if session.part2_started_seq is None else Part.EXPLORATION


def transition_id(session: Session, before: Part, after: Part) -> str:
    """Return the id of a transition's document; numbered after each return from the closing."""
    name = f"{before.value}-{after.value}"
    return f"{name}-{session.went_back + 1}" if session.went_back else name


def part2_bounded(session: Session) -> bool:
    """Tell whether Part 2 has used up its turns or re-plans, so that a wrap-up is proposed."""
    if session.current_part is not Part.EXPLORATION or session.part2_started_seq is None:
        return False
    turns = session.seq - session.part2_started_seq
    return turns >= PART2_MAX_TURNS or session.counted_replans >= PART2_MAX_REPLANS


def leaving_for_closing(session: Session) -> bool:
    """Tell whether the transition to the closing was asked for but not carried out."""
    return session.leaving_seq is not None and session.current_part is not Part.CLOSING and not session.ended


def feedback_rests(session: Session) -> bool:
    """Tell whether a recent re-plan makes feedback wait."""
    if session.ended or session.replanned_seq is None or session.current_part is not Part.EXPLORATION:
        return False
    return session.seq - session.replanned_seq < FEEDBACK_REST


def awaits_planner(session: Session) -> bool:
    """Tell whether a transition is under way or feedback is to be answered.

    Also in an ended session, whose feedback still gets its final status.
    """
    planning = session.plan_status is PlanStatus.PLANNING and not session.ended
    feedback = session.replans > 0 and not feedback_rests(session)
    return planning or leaving_for_closing(session) or feedback


def plan_asked_seq(session: Session) -> int:
    """Return the turn that gave the planner its waiting work."""
    if leaving_for_closing(session):
        return session.leaving_seq or 0
    if session.plan_status is PlanStatus.PLANNING and not session.ended:
        return session.planning_seq or 0
    rested = 0 if session.replanned_seq is None else session.replanned_seq + FEEDBACK_REST - 1
    return max(session.replan_seq or 0, 0 if session.ended else rested)


def replanned_unseen(session: Session) -> bool:
    """Tell whether the plan of Part 2 was changed after the last review.

    A re-plan in the reviewed turn itself counts as later: it usually answers that review.
    """
    if session.replanned_seq is None or session.current_part is not Part.EXPLORATION:
        return False
    since = session.seq - session.replanned_seq
    return session.message_count - since >= session.watermarks.reviewed


def review_brought_forward(session: Session) -> bool:
    """Tell whether a review is due because the plan was changed."""
    changed = session.replanned_seq
    return changed is not None and replanned_unseen(session) and session.seq - changed >= REVIEW_AFTER_REPLAN


def plan_covered_seq(session: Session) -> int | None:
    """Return the turn in which the last task of Part 2 was covered; None if one waits or outside Part 2."""
    if session.current_part is not Part.EXPLORATION or not part_covered(session.tasks, Part.EXPLORATION):
        return None
    own = {task.id for task in session.tasks if task.part is Part.EXPLORATION}
    return max((entry.seq for entry in session.completion_log if entry.data.get("task") in own), default=None)


def plan_covered_unseen(session: Session) -> bool:
    """Tell whether all tasks of Part 2 are covered since the last review, so that a review is due at once."""
    covered = plan_covered_seq(session)
    if covered is None:
        return False
    return session.message_count - (session.seq - covered) > session.watermarks.reviewed


def due_work(session: Session) -> tuple[Work, ...]:
    """Return the background work that is due after a turn, computed from the watermarks.

    Due work stays due until it is done. A task's name contains the turn at which the work fell due (`due.fell_due`), so
    slow or retried work is enqueued once. Work that the queue did not accept is enqueued at the next turn under the
    same name; work that was given up, when its next period ends. No model reads users under 14, so nothing is due. A
    conversation opened in another service is neither supervised nor reviewed before the counselling has spoken.
    """
    marks = session.watermarks
    if session.under_14:
        return ()
    if session.ended:
        ending = {Work.CLOSE: awaits_closing(session), Work.PLAN: awaits_planner(session)}
        return tuple(work for work, is_due in ending.items() if is_due)
    counsels = session.flow == _COUNSELING or bool(session.readings)
    review = session.message_count - marks.reviewed >= REVIEW_EVERY
    waiting = {
        Work.SUPERVISE: counsels and session.message_count - marks.supervised >= SUPERVISE_EVERY,
        Work.REVIEW: counsels and (review or review_brought_forward(session) or plan_covered_unseen(session)),
        Work.SUMMARIZE: session.message_count - marks.summarized >= SUMMARIZE_EVERY,
        Work.PLAN: awaits_planner(session) and session.seq > plan_asked_seq(session),
    }
    return tuple(work for work, is_due in waiting.items() if is_due)


def overdue_work(session: Session) -> tuple[Work, ...]:
    """Return the work for the sweep: due work, and a plan that no event brought."""
    due = due_work(session)
    return (*due, Work.PLAN) if not session.under_14 and awaits_planner(session) and Work.PLAN not in due else due
