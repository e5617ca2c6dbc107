"""Decides by rule whether a task is chosen in this turn, and among which."""

from dataclasses import dataclass

from functions.chat.flows.counseling.findings import Findings
from shared.domain.counseling.lifecycle import agreed_to_close
from shared.domain.counseling.readings import appeared, before
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.task import Part, Task, may_return, rank, waits
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.counseling.user_state import StateSignal
from shared.lexicon.words import Words
from shared.services.counseling.plan import MOST_DONE

UNFIT = (StateSignal.RESISTANCE, StateSignal.EMOTION_CHANGE, StateSignal.CIRCULAR)
"""Signals that make the present task questionable when they appear."""


@dataclass(frozen=True)
class Choices:
    """Tasks on offer, best first.

    Attributes:
        waiting: Tasks that are neither covered nor put aside.
        returning: Tasks that the user may return to: covered, or put aside by a re-plan. They come last.
        may_refuse: Whether "none" is an allowed answer: in Part 2, and if no task waits.
    """

    waiting: tuple[Task, ...]
    returning: tuple[Task, ...]
    may_refuse: bool

    @property
    def tasks(self) -> tuple[Task, ...]:
        return self.waiting + self.returning

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(str(task.id) for task in self.tasks)

    @property
    def wait_for_return(self) -> frozenset[str]:
        """Ids of the tasks that may be chosen only if the user returns to them."""
        return frozenset(str(task.id) for task in self.returning)


def choices(state: Session, found: Findings) -> Choices:
    ranked = rank(state.tasks, state.current_part, wrapping_up=state.status is SessionStatus.WRAPPING_UP)
    waiting = tuple(task for task in ranked if waits(task))
    return Choices(
        waiting=waiting,
        returning=_returning(state, found, ranked),
        may_refuse=state.current_part is Part.EXPLORATION or not waiting,
    )


def reason_not_to_choose(words: Words, state: Session, seq: int, found: Findings, offered: Choices) -> str | None:
    """Return why no task is chosen in this turn; None if one is to be chosen."""
    if state.plan_status is PlanStatus.PLANNING:
        return "the plan is being made"
    if not offered.waiting and (not comes_back(state, offered) or _cannot_return(words, state, found)):
        return "no task waits"
    if state.task_in_progress is None:
        return None
    if found.of(SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed) or not to_be_weighed(state, seq):
        return "the task goes on"
    return None if len(offered.waiting) > 1 or comes_back(state, offered) else "no other task waits"


def comes_back(state: Session, offered: Choices) -> bool:
    """Return whether the user may have returned to a task that was covered or put aside."""
    return bool(offered.returning) and state.user_state.topic_changed


def _returning(state: Session, found: Findings, ranked: list[Task]) -> tuple[Task, ...]:
    """Return the tasks that may be taken up again: none in Part 1, and none that this turn covered."""
    just_now = {event.task_id for event in found.of(TaskCovered)}
    if state.current_part is Part.OPENING:
        return ()
    able = [task for task in ranked if may_return(task) and task.id not in just_now]
    aside = [task for task in able if task.parked][-MOST_DONE:]
    done = [task for task in able if not task.parked]
    newest = sorted(done, key=lambda task: task.sufficient_at.timestamp() if task.sufficient_at else 0)[-MOST_DONE:]
    return tuple(task for task in able if task in newest or task in aside)


def _cannot_return(words: Words, state: Session, found: Findings) -> bool:
    """Return whether the message cannot be a return to a task, so that no model is asked."""
    leaving = state.risk.follow_through or agreed_to_close(state) or words.asks_to_end
    return bool(found.of(TaskCovered)) or leaving or words.is_backchannel


def to_be_weighed(state: Session, seq: int) -> bool:
    """Return whether the tasks of Part 2 are weighed anew: a new topic, or a state that the plan may not suit."""
    if state.current_part is not Part.EXPLORATION:
        return False
    return state.user_state.topic_changed or _turned(state, seq)


def _turned(state: Session, seq: int) -> bool:
    earlier = before(state.readings, seq)
    return any(appeared(signal, state.user_state, earlier) for signal in UNFIT)
