"""What follows from a review of the session: counted and decided by code from what the model found."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

from shared.domain.counseling.lifecycle import REVIEW_EVERY, closing_covered
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, Task, TaskKind, TaskOrigin, TaskStatus, part_covered
from shared.domain.model import Model

REST_AFTER_DECLINE = 2 * REVIEW_EVERY
"""Turns after a declined proposal in which no other is suggested: the user said that they want to go on."""
REST_AFTER_NO_TO_END = 4
"""Turns from asking in Part 3 whether to end to asking again: the no, and room for what the user had left to say.
Own figure."""
HELD_BACK = 3
"""Turns for which a suggestion waits until the user is calm; then it is made, so that no bound is lost. Own figure."""
HELD_BACK_AT_THE_END = 2 * HELD_BACK
"""Turns behind the last thing covered for which asking whether to end waits for calm; whoever is never calm is asked
all the same. Longer than before a wrap-up, because there is nothing left that waits for it. Own figure."""

WRAP_UP_KINDS = frozenset({TaskKind.SUMMARY, TaskKind.NEXT_SESSION, TaskKind.FURTHER_QUESTIONS})
"""Tasks of Part 3 that are v2's wrap-up tasks (seed 000, "상담 종료 흐름"): summary, next session, more questions."""


class Evidence(StrEnum):
    """Whose words show that a goal is met."""

    USER = "user"
    BOTH = "both"
    """The counsellor's too: what was explained."""


class SessionGoal(Model):
    """What a type of session is to reach, in the session's language.

    Attributes:
        wish: It is a wish of the user's; a wish to die is none.
    """

    id: str
    title: str
    description: str
    evidence: Evidence = Evidence.USER
    wish: bool = False


class Recommendation(StrEnum):
    """What the session manager recommends."""

    CONTINUE = "continue"
    WRAP_UP = "wrap_up"
    """The Counselor may propose to close; the user decides."""
    COMPLETE = "complete"
    """The user agreed and the closing is covered."""


def missing_goals(goals: Sequence[SessionGoal], met: Collection[str]) -> tuple[str, ...]:
    """Return the ids of the goals that are not met."""
    return tuple(goal.id for goal in goals if goal.id not in met)


def completion_score(goals: Sequence[SessionGoal], met: Collection[str]) -> float:
    """Return the share of the goals that are met, 0 to 1."""
    return (len(goals) - len(missing_goals(goals, met))) / len(goals)


def wrap_up_tasks(templates: Iterable[Task]) -> tuple[Task, ...]:
    """Return the tasks of a template that serve the wrap-up."""
    return tuple(task for task in templates if task.part is Part.CLOSING and task.kind in WRAP_UP_KINDS)


def closing_tasks(templates: Iterable[Task]) -> tuple[Task, ...]:
    """Return Part 3's tasks as they come into a session: the wrap-up tasks bear their origin."""
    own = tuple(task for task in templates if task.part is Part.CLOSING)
    serving = {task.id for task in wrap_up_tasks(own)}
    return tuple(task.model_copy(update={"origin": TaskOrigin.WRAP_UP}) if task.id in serving else task for task in own)


def in_mid_emotion(session: Session) -> bool:
    """Tell whether the newest message opened something up or was full of pain: then nobody speaks of closing."""
    seen = session.user_state
    return seen.distressed or seen.topic_changed


def may_suggest_wrap_up(session: Session) -> bool:
    """Tell whether a wrap-up may be suggested: never in a crisis, in the closing, or soon after a no.

    A proposal that a crisis left unanswered counts as a no: it may be made again after the same rest.
    """
    if session.status is not SessionStatus.ACTIVE or session.risk.follow_through:
        return False
    if session.current_part is Part.CLOSING or session.plan_status is PlanStatus.PLANNING:
        return False
    before = session.wrap_up
    if before is None:
        return True
    open_still = before.stage in (WrapUpStage.SUGGESTED, WrapUpStage.AGREED)
    return not open_still and session.seq - before.seq >= REST_AFTER_DECLINE


def time_to_propose(session: Session) -> bool:
    """Tell whether a suggestion is to be put to the user now: not in mid-emotion, but for a few turns only."""
    wrap_up = session.wrap_up
    if wrap_up is None or wrap_up.stage is not WrapUpStage.SUGGESTED or session.current_part is Part.CLOSING:
        return False
    return not in_mid_emotion(session) or session.seq - wrap_up.seq >= HELD_BACK


def time_to_ask_for_the_end(session: Session, seq: int) -> bool:
    """Tell whether turn `seq` is to ask whether to end: Part 3 is covered, and a no is some turns past.

    Not in mid-emotion, but for a few turns only: whoever is never calm is asked all the same.
    """
    if session.current_part is not Part.CLOSING or not part_covered(session.tasks, Part.CLOSING):
        return False
    before = session.wrap_up
    declined = before is not None and before.stage is WrapUpStage.DECLINED and before.aim is WrapUpAim.END
    rested = before is None or not declined or seq - before.seq >= REST_AFTER_NO_TO_END
    return rested and (not in_mid_emotion(session) or _long_covered(session, seq))


def _long_covered(session: Session, seq: int) -> bool:
    """Tell whether nothing has been covered for so long that the question is held back no more, calm or not."""
    newest = session.completion_log[-1].seq if session.completion_log else 0
    return seq - newest > HELD_BACK_AT_THE_END


def part2_begun(session: Session) -> bool:
    """Tell whether the session is in Part 2 and something of its plan is covered."""
    covered = any(task.covered and not replaced(task) for task in session.tasks if task.part is Part.EXPLORATION)
    return session.current_part is Part.EXPLORATION and covered


def replaced(task: Task) -> bool:
    """Tell whether a task was closed by a re-plan without ever having been covered."""
    return task.status is TaskStatus.COMPLETED and task.sufficient_at is None


def may_leave_part2(session: Session) -> bool:
    """Tell whether a judgement that Part 2 is completed may be acted on.

    Not in a crisis or in mid-emotion, not with nothing covered, and neither while the user is being asked nor soon
    after they said that they want to go on: then their answer decides.
    """
    return (
        session.status is SessionStatus.ACTIVE
        and part2_begun(session)
        and not session.risk.follow_through
        and not in_mid_emotion(session)
        and not _users_to_decide(session, session.wrap_up)
    )


def _users_to_decide(session: Session, wrap_up: WrapUp | None) -> bool:
    if wrap_up is None:
        return False
    if wrap_up.stage in (WrapUpStage.DECLINED, WrapUpStage.PROPOSED):
        return session.seq - wrap_up.seq < REST_AFTER_DECLINE
    return True


def recommend(session: Session, *, advised: bool, goals_met: bool) -> Recommendation:
    """Return the recommendation; goals met or the model's advice count only where a suggestion is allowed.

    Goals met make a wrap-up in Part 2 alone (seed 000, "상담 종료 흐름"), once something of its plan is covered.
    """
    if closing_covered(session) and not session.risk.follow_through:
        return Recommendation.COMPLETE
    wanted = advised or (goals_met and part2_begun(session))
    allowed = may_suggest_wrap_up(session) and not in_mid_emotion(session)
    return Recommendation.WRAP_UP if wanted and allowed else Recommendation.CONTINUE
