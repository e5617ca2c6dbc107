"""Task Selector: rank by rule; the model picks only where several tasks wait, and may say that none fits."""

from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.selectors.choices import among
from shared.content.lexicon import Lexicon
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part, Task, rank
from shared.domain.counseling.task_events import TaskStarted
from shared.domain.ids import TaskId
from shared.domain.model import Model
from shared.engine.agent import Agent
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines

AGENT = "task_selector"
NONE_FITS = "none"


class TaskChoice(BaseModel):
    """The model's proposal; an empty `task_id` leaves it to the rank."""

    model_config = ConfigDict(frozen=True)

    task_id: str = Field(default="", max_length=64, description="Id of the chosen task, or 'none' when none fits")
    execution_guide: str = Field(default="", description="One sentence: how to take it up from what was just said")
    selection_reason: str = ""
    feedback_to_task_planner: str = Field(default="", description="Only for 'none': what is missing")


class Candidate(Model):
    """A task that may be chosen."""

    id: str
    title: str
    target: str
    priority: str
    covered: bool


class SelectionInput(Model):
    """What the prompt is rendered from."""

    candidates: tuple[Candidate, ...]
    may_refuse: bool
    part2_goal: str | None
    state: str
    lines: tuple[Line, ...]
    text: str


SELECTOR = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 1, SelectionInput),
    answers=TaskChoice,
    safe_default=TaskChoice(),
)


async def select_task(progress: Progress, lexicon: Lexicon) -> None:
    """Choose the task of this turn where one is to be chosen."""
    reason = _settled(progress.state)
    if reason is not None:
        progress.turn.scope.ledger.ruled(AGENT, progress.state.current_task, reason)
        return
    candidates = _waiting(progress.state)
    clear = _clear(progress, candidates, lexicon)
    if clear is None:
        await _ask(progress, candidates)
        return
    progress.turn.scope.ledger.ruled(AGENT, candidates[0].id, clear)
    progress.note(TaskStarted(task_id=candidates[0].id))


def _clear(progress: Progress, candidates: list[Task], lexicon: Lexicon) -> str | None:
    """Return the rule that makes the first of the rank the choice, or None when the model is to weigh the context."""
    if len(candidates) == 1:
        return "only one candidate"
    if lexicon.is_backchannel(progress.turn.text):
        return "nothing was said that a task could fit"
    return None


def _settled(state: Session) -> str | None:
    """Return why there is nothing to choose, or None."""
    if state.plan_status is PlanStatus.PLANNING:
        return "the plan is being made"
    if not _waiting(state):
        return "no task waits"
    moved_on = state.user_state.topic_changed and state.current_part is Part.EXPLORATION
    if state.task_in_progress is not None and not moved_on:
        return "the task goes on"
    return None


def _ranked(state: Session) -> list[Task]:
    return rank(state.tasks, state.current_part, wrapping_up=state.status is SessionStatus.WRAPPING_UP)


def _waiting(state: Session) -> list[Task]:
    return [task for task in _ranked(state) if not task.covered]


async def _ask(progress: Progress, waiting: list[Task]) -> None:
    turn, state = progress.turn, progress.state
    # In Part 2 the user may come back to what was covered; it stands last (seed 000). Part 1 is not opened again.
    candidates = _ranked(state) if state.current_part is Part.EXPLORATION else waiting
    ids = [str(task.id) for task in candidates]
    may_refuse = state.current_part is Part.EXPLORATION
    allowed = (*ids, NONE_FITS) if may_refuse else tuple(ids)

    def wrong(choice: TaskChoice) -> str | None:
        return None if choice.task_id in allowed else f"task_id must be one of {sorted(allowed)}"

    selector = replace(SELECTOR, answers=among(TaskChoice, "task_id", allowed))
    choice = await turn.runner.ask(selector, _input(progress, candidates, may_refuse=may_refuse), turn.scope, wrong)
    if choice.task_id == NONE_FITS:
        _give_feedback(progress, choice)
    kept = state.task_in_progress or waiting[0]
    chosen = TaskId(choice.task_id) if choice.task_id in ids else kept.id
    if chosen != state.current_task or state.task_in_progress is None:
        progress.note(TaskStarted(task_id=chosen, guide=choice.execution_guide[:300]))


def _give_feedback(progress: Progress, choice: TaskChoice) -> None:
    """Tell the planner that nothing fits; the present task or the highest rank is worked on meanwhile."""
    turn, state = progress.turn, progress.state
    if state.replans + state.part2_task_update_count >= PART2_MAX_REPLANS:
        return
    progress.note(ReplanAsked())
    progress.records.append(
        PlannerFeedback(
            record_id=f"{turn.seq}-{FeedbackSource.TASK_SELECTOR.value}",
            created_at=turn.now,
            expire_at=turn.state.expire_at,
            source=FeedbackSource.TASK_SELECTOR,
            kind="no_fitting_task",
            reason=(choice.feedback_to_task_planner or choice.selection_reason)[:500],
            seq=turn.seq,
        )
    )


def _input(progress: Progress, candidates: list[Task], *, may_refuse: bool) -> SelectionInput:
    state = progress.state
    return SelectionInput(
        candidates=tuple(
            Candidate(
                id=task.id,
                title=task.title,
                target=task.target,
                priority=task.priority.value,
                covered=task.covered,
            )
            for task in candidates
        ),
        may_refuse=may_refuse,
        part2_goal=state.part2_goal,
        state=", ".join(signal.value for signal in state.user_state.signals()) or "calm",
        lines=lines(progress.turn.state.recent),
        text=progress.turn.text,
    )
