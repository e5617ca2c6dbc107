"""Who may change what into what: statuses of tasks and sessions, Part completion, bounds and due work."""

from enum import StrEnum

from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part, Task, TaskStatus, part_covered

SUPERVISE_EVERY = 3
"""Messages of the user between two supervisions (seed 000)."""
REVIEW_EVERY = 5
"""Messages of the user between two reviews (seed 000)."""
REVIEW_AFTER_REPLAN = 2
"""Messages of the user between two summaries: fewer than the window holds, so nothing falls between."""
SUMMARIZE_EVERY = 6
"""Messages of the user between two summaries: fewer than the window holds, so that nothing falls between."""
PLAN_EVERY = 3
"""Turns of waiting for a plan between two tasks that make up for a lost one."""
FEEDBACK_REST = 3
"""Turns after a re-plan in which no other is made: the plan needs room to show. What is asked for meanwhile waits."""
PART2_MAX_TURNS = 40
"""Turns of Part 2 after which a wrap-up is proposed."""
PART2_MAX_REPLANS = 5
"""Re-plans of Part 2 after which a wrap-up is proposed."""
BOUNDED = "bounded"
"""Why a wrap-up is suggested when Part 2 has used up its turns or re-plans."""
ALL_SAID = "all_said"
"""Why a wrap-up is suggested when the user says that they have said all."""

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
    """Only when an event (a transition's, or feedback's) did not bring a plan by the next turn."""
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
    done = session.closing_made and session.stand_in_summary is None
    return session.ended and session.message_count > 0 and not done


def part_before_closing(session: Session) -> Part:
    """Return the Part that the closing came from, or would come from."""
    if session.current_part is not Part.CLOSING:
        return session.current_part
    return Part.OPENING if session.part2_started_seq is None else Part.EXPLORATION


def transition_id(session: Session, before: Part, after: Part) -> str:
    """Return the id of a transition's document; after each way back from the closing the documents are new ones."""
    name = f"{before.value}-{after.value}"
    return f"{name}-{session.went_back + 1}" if session.went_back else name


def part2_bounded(session: Session) -> bool:
    """Tell whether Part 2 has used up its turns or re-plans, so that wrap-up is to be proposed."""
    if session.current_part is not Part.EXPLORATION or session.part2_started_seq is None:
        return False
    turns = session.seq - session.part2_started_seq
    return turns >= PART2_MAX_TURNS or session.part2_task_update_count >= PART2_MAX_REPLANS


def leaving_for_closing(session: Session) -> bool:
    """Tell whether the transition to the closing was asked for and is not carried out."""
    return session.leaving_seq is not None and session.current_part is not Part.CLOSING and not session.ended


def feedback_rests(session: Session) -> bool:
    """Tell whether a re-plan was made so lately that feedback has to wait."""
    if session.ended or session.replanned_seq is None or session.current_part is not Part.EXPLORATION:
        return False
    return session.seq - session.replanned_seq < FEEDBACK_REST


def awaits_planner(session: Session) -> bool:
    """Tell whether a transition is under way, or feedback waits whose rest is over.

    Of an ended session too: what became of its feedback is still to be recorded.
    """
    planning = session.plan_status is PlanStatus.PLANNING and not session.ended
    feedback = session.replans > 0 and not feedback_rests(session)
    return planning or leaving_for_closing(session) or feedback


def plan_asked_seq(session: Session) -> int:
    """Return the turn that gave the planner the work that waits; its event has had a turn's time behind that."""
    if leaving_for_closing(session):
        return session.leaving_seq or 0
    if session.plan_status is PlanStatus.PLANNING and not session.ended:
        return session.planning_seq or 0
    rested = 0 if session.replanned_seq is None else session.replanned_seq + FEEDBACK_REST - 1
    return max(session.replan_seq or 0, 0 if session.ended else rested)


def replanned_unseen(session: Session) -> bool:
    """Tell whether the plan of Part 2 was changed and no review has seen it since.

    A re-plan in the very turn that was reviewed is a later one: it most often answers that review.
    """
    if session.replanned_seq is None or session.current_part is not Part.EXPLORATION:
        return False
    since = session.seq - session.replanned_seq
    return session.message_count - since >= session.watermarks.reviewed


def review_brought_forward(session: Session) -> bool:
    """Tell whether a review is due because the plan was changed (seed 001, "피드백 루프 일관성")."""
    changed = session.replanned_seq
    return changed is not None and replanned_unseen(session) and session.seq - changed >= REVIEW_AFTER_REPLAN


def plan_covered_seq(session: Session) -> int | None:
    """Return the turn in which the last task of Part 2 was covered; None while one waits, or outside Part 2."""
    if session.current_part is not Part.EXPLORATION or not part_covered(session.tasks, Part.EXPLORATION):
        return None
    own = {task.id for task in session.tasks if task.part is Part.EXPLORATION}
    return max((entry.seq for entry in session.completion_log if entry.data.get("task") in own), default=None)


def plan_covered_unseen(session: Session) -> bool:
    """Tell whether all tasks of Part 2 are covered and no review has seen it: then one is due at once."""
    covered = plan_covered_seq(session)
    if covered is None:
        return False
    return session.message_count - (session.seq - covered) > session.watermarks.reviewed


def due_work(session: Session) -> tuple[Work, ...]:
    """Return the background work that is due after a turn: by watermark, so that lost work is due again.

    What is due stays due until it is done, and so comes up at every later turn. The task's name bears the turn at which
    the work fell due (`due.fell_due`), not the present one: work that is slow or tries again is queued once. What
    the queue never took is queued at the next turn, under the same name; what was given up, its name used, when
    its period has passed once more (three, five or six messages later), with all that was left undone.
    Nothing is due of who is under 14: no model reads them.
    """
    marks = session.watermarks
    if session.under_14:
        return ()
    if session.ended:
        ending = {Work.CLOSE: awaits_closing(session), Work.PLAN: awaits_planner(session)}
        return tuple(work for work, is_due in ending.items() if is_due)
    waiting = {
        Work.SUPERVISE: session.message_count - marks.supervised >= SUPERVISE_EVERY,
        Work.REVIEW: session.message_count - marks.reviewed >= REVIEW_EVERY
        or review_brought_forward(session)
        or plan_covered_unseen(session),
        Work.SUMMARIZE: session.message_count - marks.summarized >= SUMMARIZE_EVERY,
        Work.PLAN: awaits_planner(session) and session.seq > plan_asked_seq(session),
    }
    return tuple(work for work, is_due in waiting.items() if is_due)


def overdue_work(session: Session) -> tuple[Work, ...]:
    """Return the work to make up for when nobody speaks any more: a plan that no event brought is among it."""
    due = due_work(session)
    return (*due, Work.PLAN) if not session.under_14 and awaits_planner(session) and Work.PLAN not in due else due
