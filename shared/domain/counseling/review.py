"""What follows from a review of the session: counted and decided by code from what the model found."""

from collections.abc import Collection
from enum import StrEnum

from shared.domain.counseling.lifecycle import REVIEW_EVERY, closing_covered
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part

REST_AFTER_DECLINE = 2 * REVIEW_EVERY
"""Turns after a declined proposal in which no other is suggested: the user said that they want to go on."""


class SessionGoal(StrEnum):
    """The four goals of a first session (seed 000, "평가 기준")."""

    RAPPORT = "rapport"
    INFORMATION = "information"
    GOAL_SETTING = "goal_setting"
    TRUST = "trust"


class Recommendation(StrEnum):
    """What the session manager recommends."""

    CONTINUE = "continue"
    WRAP_UP = "wrap_up"
    """The Counselor may propose to close; the user decides."""
    COMPLETE = "complete"
    """The user agreed and the closing is covered."""


def completion_score(met: Collection[SessionGoal]) -> float:
    """Return the share of the goals that are met, 0 to 1."""
    return len(set(met)) / len(SessionGoal)


def missing_goals(met: Collection[SessionGoal]) -> tuple[SessionGoal, ...]:
    """Return the goals that are not met."""
    return tuple(goal for goal in SessionGoal if goal not in met)


def may_suggest_wrap_up(session: Session) -> bool:
    """Tell whether a wrap-up may be suggested: never in a crisis, in the closing, or soon after a no."""
    if session.status is not SessionStatus.ACTIVE or session.risk.follow_through:
        return False
    if session.current_part is Part.CLOSING or session.plan_status is PlanStatus.PLANNING:
        return False
    before = session.wrap_up
    if before is None:
        return True
    return before.stage is WrapUpStage.DECLINED and session.seq - before.seq >= REST_AFTER_DECLINE


def may_leave_part2(session: Session) -> bool:
    """Tell whether a judgement that Part 2 is completed may be acted on.

    Not in a crisis, not with nothing covered, and not while the user is being asked: then the answer decides.
    """
    being_asked = session.wrap_up is not None and session.wrap_up.stage is not WrapUpStage.DECLINED
    return (
        session.status is SessionStatus.ACTIVE
        and session.current_part is Part.EXPLORATION
        and not session.risk.follow_through
        and not being_asked
        and any(task.covered for task in session.tasks if task.part is Part.EXPLORATION)
    )


def recommend(session: Session, *, advised: bool) -> Recommendation:
    """Return the recommendation; the model's advice counts only where a suggestion is allowed."""
    if closing_covered(session) and not session.risk.follow_through:
        return Recommendation.COMPLETE
    return Recommendation.WRAP_UP if advised and may_suggest_wrap_up(session) else Recommendation.CONTINUE
