"""Task Selector: rank by rule; the model picks only where several tasks wait, and may say that none fits."""

from collections.abc import Callable
from dataclasses import replace

from pydantic import Field

from functions.chat.flows.counseling.planner_feedback import ask_planner
from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.selectors.candidates import Choices, choices, comes_back, settled
from functions.chat.flows.counseling.selectors.choices import among
from shared.content.lexicon import Lexicon
from shared.domain.counseling.lifecycle import agreed_to_close
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import may_replan
from shared.domain.counseling.task import waits
from shared.domain.counseling.task_events import TaskStarted
from shared.domain.ids import TaskId
from shared.engine.agent import Agent, AnswerSchema
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.instruction_filter import InstructionFilter

AGENT = "task_selector"
NONE_FITS = "none"
GUIDE_LENGTH = 300
"""Characters kept of a guide."""


class TaskChoice(AnswerSchema):
    """The model's proposal; an empty `task_id` leaves it to the rank."""

    return_quote: str = Field(
        description="Only for a covered task: the user's own words, verbatim, that come back to it; otherwise empty"
    )
    selection_reason: str
    task_id: str = Field(description="Id of the chosen task, or 'none' when none fits")
    execution_guide: str = Field(description="One sentence: how to take it up from what was just said")
    feedback_to_task_planner: str = Field(description="Only for 'none': what is missing; otherwise empty")


class Candidate(Model):
    """A task that may be chosen.

    Attributes:
        covered: It is taken up only if the user comes back to it: covered before, or put aside by a re-plan.
    """

    id: str
    title: str
    target: str
    priority: str
    covered: bool
    current: bool = False


class SelectionInput(Model):
    """What the prompt is rendered from.

    Attributes:
        may_refuse: None of them is an answer.
        returning: None of them waits: one is taken up only if the user comes back to it.
    """

    candidates: tuple[Candidate, ...]
    may_refuse: bool
    returning: bool = False
    part2_goal: str | None
    state: str
    lines: tuple[Line, ...]
    text: str


SELECTOR = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 2, SelectionInput),
    answers=TaskChoice,
    safe_default=TaskChoice(
        return_quote="", selection_reason="", task_id="", execution_guide="", feedback_to_task_planner=""
    ),
)


async def select_task(progress: Progress, lexicon: Lexicon) -> bool:
    """Choose the task of this turn where one is to be chosen; tell whether one was found that fits what was said."""
    reason = settled(progress, lexicon)
    if reason is not None:
        progress.turn.scope.ledger.ruled(AGENT, progress.state.current_task, reason)
        return False
    offered = choices(progress)
    clear = _clear(progress, offered, lexicon)
    if clear is None:
        return await _ask(progress, offered)
    first = offered.waiting[0].id
    progress.turn.scope.ledger.ruled(AGENT, first, clear)
    progress.note(TaskStarted(task_id=first))
    return False


def _clear(progress: Progress, offered: Choices, lexicon: Lexicon) -> str | None:
    """Return the rule that makes the first of the rank the choice, or None when the model is to weigh the context."""
    if len(offered.waiting) == 1 and not comes_back(progress.state, offered):
        return "only one candidate"
    if lexicon.is_backchannel(progress.turn.text):
        return "nothing was said that a task could fit"
    return None


async def _ask(progress: Progress, offered: Choices) -> bool:
    """Let the model choose; without an answer that holds, the present task or the highest rank of what waits does."""
    turn, state = progress.turn, progress.state
    allowed = (*offered.ids, NONE_FITS) if offered.may_refuse else offered.ids
    selector = replace(SELECTOR, answers=among(TaskChoice, "task_id", allowed))
    wrong = _check(offered, allowed, turn.text)
    choice = _sifted(progress, await turn.runner.ask(selector, _input(progress, offered), turn.scope, wrong))
    if choice.task_id == NONE_FITS and offered.waiting:
        _give_feedback(progress, choice)
    chosen = TaskId(choice.task_id) if choice.task_id in offered.ids else _kept(progress, offered)
    if chosen is None:
        return False
    if chosen != state.current_task or state.task_in_progress is None:
        progress.note(TaskStarted(task_id=chosen, guide=choice.execution_guide[:GUIDE_LENGTH]))
    return choice.task_id in offered.ids


def _check(offered: Choices, allowed: tuple[str, ...], text: str) -> Callable[[TaskChoice], str | None]:
    """What an answer must hold: a task on offer, and for a covered one the words that come back to it."""

    def wrong(choice: TaskChoice) -> str | None:
        if choice.task_id not in allowed:
            return f"task_id must be one of {sorted(allowed)}"
        if choice.task_id in offered.wait_for_return and not is_verbatim_quote(choice.return_quote, text):
            return "a covered task needs return_quote: the user's own words in the newest message, verbatim"
        return None

    return wrong


def _sifted(progress: Progress, choice: TaskChoice) -> TaskChoice:
    """Return the choice without words that would speak to the Counselor or the planner from their prompts."""
    sieve = InstructionFilter(AGENT, progress.state.conversation_id)
    texts = ("execution_guide", "selection_reason", "feedback_to_task_planner")
    left = choice.model_copy(update={name: sieve.text(getattr(choice, name)) for name in texts})
    sieve.tell(progress.turn.seq)
    return left


def _kept(progress: Progress, offered: Choices) -> TaskId | None:
    """Return what is worked on without a choice: the present task, else the highest rank of what waits, if any."""
    present = progress.state.task_in_progress
    if present is not None:
        return present.id
    return offered.waiting[0].id if offered.waiting else None


def _give_feedback(progress: Progress, choice: TaskChoice) -> None:
    """Tell the planner that nothing fits; the present task or the highest rank is worked on meanwhile."""
    if may_replan(progress.state) and not agreed_to_close(progress.state):
        reason = choice.feedback_to_task_planner or choice.selection_reason
        ask_planner(progress, FeedbackSource.TASK_SELECTOR, "no_fitting_task", reason)


def _input(progress: Progress, offered: Choices) -> SelectionInput:
    state = progress.state
    return SelectionInput(
        candidates=tuple(
            Candidate(
                id=task.id,
                title=task.title,
                target=task.target,
                priority=task.priority.value,
                covered=not waits(task),
                current=task.id == state.current_task and waits(task),
            )
            for task in offered.tasks
        ),
        may_refuse=offered.may_refuse,
        returning=not offered.waiting,
        part2_goal=state.part2_goal,
        state=", ".join(signal.value for signal in state.user_state.signals()) or "calm",
        lines=lines(progress.turn.state.recent),
        text=progress.turn.text,
    )
