"""Consequences of a session review, decided by code from the model's findings."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from itertools import pairwise

from shared.domain.counseling.lifecycle import BOUNDED, REVIEW_EVERY, closing_covered, leaving_for_closing
from shared.domain.counseling.readings import appeared, before, newly_named
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.short_answers import OFFER_AFTER
from shared.domain.counseling.task import (
    CompletionRule,
    Part,
    Priority,
    Task,
    TaskKind,
    TaskOrigin,
    TaskStatus,
    part_covered,
)
from shared.domain.counseling.user_state import EmotionChange, StateSignal
from shared.model import Model

REST_AFTER_DECLINE = 2 * REVIEW_EVERY
"""Turns after a declined proposal without another one."""
REST_AFTER_NO_TO_END = 4
"""Turns between two questions in Part 3 whether to end."""
HELD_BACK = 3
"""Turns for which a suggestion waits until the user is calm; then it is made, unless the turn brings a new feeling."""
LONGEST_HELD_BACK = 2 * HELD_BACK
"""Most turns for which a suggestion waits if a strong emotion returns."""
LONG_TALK = 10
"""Turns from which who has said everything may mean the whole talk."""
CALM_AFTER = 3
"""Newest readings that must be without a strong emotion before the user counts as calm."""
HELD_BACK_AT_THE_END = 2 * HELD_BACK
"""Turns after the last covered task for which the question whether to end waits for calm. Longer than before a wrap-up,
because no task waits."""

WRAP_UP_KINDS = frozenset({TaskKind.SUMMARY, TaskKind.NEXT_SESSION, TaskKind.FURTHER_QUESTIONS})
"""Tasks of Part 3 that serve the wrap-up."""


class Evidence(StrEnum):
    """Whose words show that a goal is met."""

    USER = "user"
    BOTH = "both"
    """The counsellor's too, for what was explained."""


class SessionGoal(Model):
    """A goal of a session type, in the session's language.

    Attributes:
        wish: It is a wish of the user; a wish to die does not count.
        told_in: The kind of task in which the counsellor explains it; other words show nothing of it.
    """

    id: str
    title: str
    description: str
    evidence: Evidence = Evidence.USER
    wish: bool = False
    told_in: TaskKind | None = None


class Recommendation(StrEnum):
    """The session manager's recommendation."""

    CONTINUE = "continue"
    WRAP_UP = "wrap_up"
    """The counsellor may propose to close; the user decides."""
    COMPLETE = "complete"
    """The user agreed and the closing is covered."""


def missing_goals(goals: Sequence[SessionGoal], met: Collection[str]) -> tuple[str, ...]:
    return tuple(goal.id for goal in goals if goal.id not in met)


def completion_score(goals: Sequence[SessionGoal], met: Collection[str]) -> float:
    """Return the share of the goals that are met, 0 to 1."""
    return (len(goals) - len(missing_goals(goals, met))) / len(goals)


def wrap_up_tasks(templates: Iterable[Task]) -> tuple[Task, ...]:
    return tuple(task for task in templates if task.part is Part.CLOSING and task.kind in WRAP_UP_KINDS)


def closing_tasks(templates: Iterable[Task]) -> tuple[Task, ...]:
    """Return Part 3's tasks for a session; wrap-up tasks are marked by their origin."""
    own = tuple(task for task in templates if task.part is Part.CLOSING)
    serving = {task.id for task in wrap_up_tasks(own)}
    return tuple(task.model_copy(update={"origin": TaskOrigin.WRAP_UP}) if task.id in serving else task for task in own)


def in_mid_emotion(session: Session) -> bool:
    """Tell whether the newest message brought a new topic, or one of the last few a strong painful emotion.

    No closing is proposed then. One reading with a weaker emotion is not yet calm.
    """
    seen = session.user_state
    return seen.topic_changed or any(one.distressed for one in (*session.readings[-CALM_AFTER:], seen))


def _relapsed_at(session: Session) -> int:
    again = [now.seq for last, now in pairwise(session.readings) if now.distressed and not last.distressed]
    return again[-1] if again else 0


def opened_up(session: Session, seq: int) -> bool:
    """Tell whether turn `seq` brought a new feeling or topic, which the reply must serve alone."""
    now, earlier = session.user_state, before(session.readings, seq)
    turned = now.emotion_change in (EmotionChange.TURNED, EmotionChange.RISE)
    new = (StateSignal.STRONG_EMOTION, StateSignal.TOPIC_CHANGE)
    return turned or newly_named(now, earlier) or any(appeared(signal, now, earlier) for signal in new)


def may_suggest_wrap_up(session: Session) -> bool:
    """Tell whether a wrap-up may be suggested: not in a crisis, in the closing, or soon after a no.

    A proposal that a crisis left unanswered counts as a no.
    """
    before = session.wrap_up
    return _may_be_asked(session) and (before is None or session.seq - before.seq >= REST_AFTER_DECLINE)


def may_suggest_all_said(session: Session) -> bool:
    """Tell whether a wrap-up may be suggested to a user who has said everything: the rest after a no does not apply.

    In a long talk no task holds them back.
    """
    free = talked_long(session) or (part2_begun(session) and not required_task_waits(session))
    return free and _may_be_asked(session)


def talked_long(session: Session) -> bool:
    """Tell whether a talk is so long that "I have said everything" means the talk, and not one answer."""
    return session.seq >= LONG_TALK


def _may_be_asked(session: Session) -> bool:
    if session.status is not SessionStatus.ACTIVE or session.risk.follow_through:
        return False
    if session.current_part is Part.CLOSING or session.plan_status is PlanStatus.PLANNING:
        return False
    before = session.wrap_up
    return before is None or before.stage not in (WrapUpStage.SUGGESTED, WrapUpStage.AGREED)


def time_to_propose(session: Session, seq: int, *, said_all: bool = False) -> bool:
    """Tell whether turn `seq` proposes a suggested wrap-up.

    Not while a required task of Part 2 waits, unless a bound suggested it. Not in the turn of a new feeling; during a
    strong emotion only after some turns, unless the user has said everything (`said_all`).
    """
    wrap_up = session.wrap_up
    if wrap_up is None or wrap_up.stage is not WrapUpStage.SUGGESTED or session.current_part is Part.CLOSING:
        return False
    if wrap_up.aim is WrapUpAim.END or seq <= wrap_up.seq:
        return False
    bounded = wrap_up.reason == BOUNDED or (said_all and talked_long(session))
    if not bounded and required_task_waits(session):
        return False
    waited, since = session.seq - wrap_up.seq, seq - _relapsed_at(session)
    again = since < HELD_BACK and waited < LONGEST_HELD_BACK
    held_back = in_mid_emotion(session) and (waited < HELD_BACK or again)
    return (said_all or not held_back) and not opened_up(session, seq)


def time_to_ask_for_the_end(session: Session, seq: int) -> bool:
    """Tell whether turn `seq` asks whether to end: Part 3 is covered, and a no is some turns past.

    Not in the turn of a new feeling; during a strong emotion only after some turns.
    """
    if end_is_open(session):
        return _time_to_ask_again(session, seq)
    if session.current_part is not Part.CLOSING or not part_covered(session.tasks, Part.CLOSING):
        return False
    before = session.wrap_up
    declined = before is not None and before.stage is WrapUpStage.DECLINED and before.aim is WrapUpAim.END
    rested = before is None or not declined or seq - before.seq >= REST_AFTER_NO_TO_END
    calm = not in_mid_emotion(session) or _long_covered(session, seq)
    return rested and calm and not opened_up(session, seq)


def time_to_offer_rest(session: Session, seq: int) -> bool:
    """Tell whether turn `seq` offers to rest or to end, because the user has said little for some turns.

    Not while a plan is made or the closing begins, nor soon after a no.
    """
    if session.short_answers < OFFER_AFTER or session.risk.follow_through or end_is_open(session):
        return False
    if session.plan_status is PlanStatus.PLANNING or leaving_for_closing(session):
        return False
    before = session.wrap_up
    declined = before is not None and before.stage is WrapUpStage.DECLINED
    rested = before is None or not declined or seq - before.seq >= REST_AFTER_DECLINE
    return rested and not in_mid_emotion(session) and not opened_up(session, seq)


def end_is_open(session: Session) -> bool:
    """Tell whether the question whether to end got an unclear answer and is to be asked again."""
    wrap_up = session.wrap_up
    return wrap_up is not None and wrap_up.stage is WrapUpStage.SUGGESTED and wrap_up.aim is WrapUpAim.END


def _time_to_ask_again(session: Session, seq: int) -> bool:
    answered = session.wrap_up.seq if session.wrap_up else 0
    held_back = in_mid_emotion(session) and seq - answered <= HELD_BACK
    return seq > answered and not held_back and not opened_up(session, seq)


def _long_covered(session: Session, seq: int) -> bool:
    newest = session.completion_log[-1].seq if session.completion_log else 0
    return seq - newest > HELD_BACK_AT_THE_END


def part2_begun(session: Session) -> bool:
    """Tell whether the session is in Part 2 and a task of its plan is covered."""
    own = (task for task in session.tasks if task.part is Part.EXPLORATION and not out_of_plan(task))
    covered = any(task.covered and task.completion_rule is not CompletionRule.STEPS for task in own)
    return session.current_part is Part.EXPLORATION and covered


def out_of_plan(task: Task) -> bool:
    """Tell whether a task left the plan: parked, or closed without being covered."""
    return task.parked or (task.status is TaskStatus.COMPLETED and task.sufficient_at is None)


def required_task_waits(session: Session) -> bool:
    """Tell whether Part 2 has an uncovered task that must be covered before leaving it.

    Tasks of low priority are required only if there are no others; parked tasks are not required.
    """
    return any(not task.covered for task in _required(session))


def nearly_covered(session: Session) -> bool:
    """Tell whether every task that must be covered before Part 2 is left is covered, or has a sign at least."""
    required = _required(session)
    return bool(required) and all(task.covered or task.signs for task in required)


def _required(session: Session) -> list[Task]:
    if session.current_part is not Part.EXPLORATION:
        return []
    plan = [task for task in session.tasks if task.part is Part.EXPLORATION and not out_of_plan(task)]
    return [task for task in plan if task.priority is not Priority.LOW] or plan


def recommend(session: Session, *, advised: bool, completed: bool = False, goals_met: bool = False) -> Recommendation:
    """Return the recommendation; the model's findings count only where a suggestion is allowed.

    Args:
        session: The newest state.
        advised: The model would ask the user whether to close.
        completed: The goal of Part 2 is met.
        goals_met: Every goal of the session's type is met.
    """
    if closing_covered(session) and not session.risk.follow_through:
        return Recommendation.COMPLETE
    if session.current_part is Part.EXPLORATION:
        wanted = _part2_done(session, advised=advised, reached=completed or goals_met)
    else:
        wanted = advised and not in_mid_emotion(session)
    return Recommendation.WRAP_UP if wanted and may_suggest_wrap_up(session) else Recommendation.CONTINUE


def _part2_done(session: Session, *, advised: bool, reached: bool) -> bool:
    """Tell whether leaving Part 2 may be suggested: its goal is reached and no required task waits.

    Advice alone is enough if the whole plan is covered.
    """
    if not part2_begun(session) or required_task_waits(session):
        return False
    return reached or (advised and part_covered(session.tasks, Part.EXPLORATION))
