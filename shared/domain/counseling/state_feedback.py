"""When the user's state is a reason to plan Part 2 anew (seed 001, "Task 업데이트 조건"), and when it is noise."""

from enum import StrEnum

from shared.domain.counseling.lifecycle import agreed_to_close
from shared.domain.counseling.readings import before
from shared.domain.counseling.replanning import may_replan
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part, TaskStatus, waits
from shared.domain.counseling.user_state import StateSignal

STATE_FEEDBACK_REST = 8
"""Turns in which a kind is not told again: a plan that answers it needs room to show."""


class StateKind(StrEnum):
    """What of the user's state the planner is told; declared most pressing first."""

    RESISTANCE = "resistance"
    """Strong, or mild and persisting."""
    EMOTION_CHANGE = "emotion_change"
    """Sharp or sustained, and strong."""
    TOPIC_CHANGE = "topic_change"
    """To what no task takes up, now or in the turn before."""
    CIRCULAR = "circular"
    """The talk goes round in a circle."""


def worth_telling(session: Session, seq: int, *, served: bool) -> StateKind | None:
    """Return what the planner is to be told in turn `seq`, or None.

    Args:
        session: With the turn's reading.
        seq: The turn.
        served: A task was found that takes up what the user turned to.
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
    """Whether nothing else waits that could fit a new topic, or the turn before had left the topic already."""
    plan = [task for task in session.tasks if task.part is Part.EXPLORATION and waits(task)]
    if not any(task.status is TaskStatus.PENDING for task in plan):
        return True
    earlier = before(session.readings, seq)
    return bool(earlier) and earlier[-1].topic_changed


def _rested(session: Session, kind: StateKind, seq: int) -> bool:
    last = session.state_feedback.get(kind.value)
    return last is None or seq - last > STATE_FEEDBACK_REST
