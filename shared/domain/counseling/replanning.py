"""Asking for another plan of Part 2, within its bounds, and what becomes of the asking."""

from datetime import datetime

from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.domain.event import Event

REASON_LENGTH = 500
"""Characters kept of a reason."""


class ReplansAnswered(Event[Session]):
    """Feedback was dealt with and the plan stays as it is."""

    answered: int

    def apply(self, state: Session, at: datetime) -> Session:
        """Take it off what waits."""
        return state.model_copy(update=answered(state, self.answered))


def answered(state: Session, number: int) -> dict[str, int | None]:
    """Return the fields that change when so much feedback has been answered; what came meanwhile waits on."""
    left = max(0, state.replans - number)
    return {"replans": left, "replan_seq": state.seq if left else None, "replan_rounds": state.replan_rounds + 1}


def may_replan(session: Session) -> bool:
    """Tell whether a worker may ask for another plan: in a planned Part 2, within its bound, and not in a crisis."""
    return (
        not session.ended
        and session.current_part is Part.EXPLORATION
        and session.plan_status is PlanStatus.READY
        and not session.risk.follow_through
        and session.replans + session.part2_task_update_count < PART2_MAX_REPLANS
    )


def may_be_revised(session: Session) -> bool:
    """Tell whether the plan can still be changed at all."""
    return not session.ended and session.current_part is Part.EXPLORATION


def waits_in_part2(task: Task) -> bool:
    """Tell whether another plan replaces a task; what is in progress or done stays."""
    return task.part is Part.EXPLORATION and task.status is TaskStatus.PENDING


def feedback(
    session: Session, source: FeedbackSource, *, kind: str, reason: str, seq: int, at: datetime
) -> PlannerFeedback:
    """Return the document that sets the planner to work; it goes with a `ReplanAsked`."""
    return PlannerFeedback(
        record_id=f"{seq}-{source.value}",
        created_at=at,
        expire_at=session.expire_at,
        source=source,
        kind=kind,
        reason=reason[:REASON_LENGTH],
        seq=seq,
    )
