"""Decides when the user's state is a reason for a re-plan of Part 2."""

from enum import StrEnum

from shared.domain.counseling.lifecycle import agreed_to_close
from shared.domain.counseling.readings import before
from shared.domain.counseling.replanning import may_replan
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskStatus, waits
from shared.domain.counseling.user_state import StateSignal

STATE_FEEDBACK_REST = 8
"""Turns in which a kind of feedback is not repeated, so that a new plan can take effect."""


class StateKind(StrEnum):
    """Kinds of feedback about the user's state, most pressing first."""

    RESISTANCE = "resistance"
    """Strong, or mild and persisting."""
    EMOTION_CHANGE = "emotion_change"
    """Sharp or sustained, and strong."""
    TOPIC_CHANGE = "topic_change"
    """To a topic of no task, in this turn or the previous one."""
    CIRCULAR = "circular"
    """The talk is circular."""


def worth_telling(session: Session, seq: int, *, served: bool) -> StateKind | None:
    """Return the feedback for the planner in turn `seq`, or None.

    Args:
        session: With the turn's reading.
        seq: The turn.
        served: A task for the user's topic was found.
    """
    if not may_replan(session) or agreed_to_close(session):
        return None
    found = session.user_state.signals()
    strong = StateSignal.STRONG_EMOTION in found
    present = {
        StateKind.RESISTANCE: StateSignal.RESISTANCE in found,
        StateKind.EMOTION_CHANGE: StateSignal.EMOTION_CHANGE in found and strong,
        StateKind.TOPIC_CHANGE: StateSignal.TOPIC_CHANGE in found and not served and _confirmed(session, seq),
        StateKind.CIRCULAR: StateSignal.CIRCULAR in found,
    }
    return next((kind for kind, there in present.items() if there and _rested(session, kind, seq)), None)


def _confirmed(session: Session, seq: int) -> bool:
    plan = [task for task in session.tasks if task.part is Part.EXPLORATION and waits(task)]
    if not any(task.status is TaskStatus.PENDING for task in plan):
        return True
    earlier = before(session.readings, seq)
    return bool(earlier) and earlier[-1].topic_changed


def _rested(session: Session, kind: StateKind, seq: int) -> bool:
    last = session.state_feedback.get(kind.value)
    return last is None or seq - last > STATE_FEEDBACK_REST
