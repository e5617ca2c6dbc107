"""Task Selector: ranks by rule; after a turn in the dialogue the model chooses, and may say that none fits."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pydantic import Field

from functions.chat.findings import Findings
from functions.chat.flows.counseling.prompting import PROMPTS, limit_field
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.lifecycle import agreed_to_close
from shared.domain.counseling.readings import appeared, before
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback, may_replan
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun, SafetyPlanStepGiven, SafetyPlanStepPassed
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus
from shared.domain.counseling.session_events import ReplanAsked
from shared.domain.counseling.task import Part, Task, may_return, rank, waits
from shared.domain.counseling.task_events import TaskCovered, TaskStarted
from shared.domain.counseling.user_state import StateSignal
from shared.domain.ids import TaskId
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.lexicon.words import Words
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.text_rules import TextRules
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.instruction_filter import InstructionFilter
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


AGENT = "task_selector"
NONE_FITS = "none"
GUIDE_LENGTH = 300
"""Maximum characters of a stored guide."""


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
        covered: Taken up only if the user returns to it: covered before, or put aside by a re-plan.
    """

    id: str
    title: str
    target: str
    priority: str
    covered: bool
    current: bool = False


class SelectionInput(Model):
    """Prompt variables.

    Attributes:
        may_refuse: "none" is an allowed answer.
        returning: No task waits: all candidates are taken up only if the user returns to them.
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


@dataclass(frozen=True)
class Selection:
    """The Task Selector's result.

    Attributes:
        served: The model chose a task that fits what was said.
    """

    found: Findings = field(default_factory=Findings)
    served: bool = False


async def select_task(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Selection:
    """Choose the task of this turn, if one is to be chosen."""
    offered = choices(session, found)
    reason = reason_not_to_choose(message.words, session, turn.seq, found, offered)
    if reason is not None:
        turn.scope.ledger.ruled(AGENT, session.current_task, reason)
        return Selection()
    clear = _clear(message.words, session, turn.seq, offered)
    if clear is None:
        return await _ask(turn, message.text, session, offered, content)
    first = offered.waiting[0].id
    turn.scope.ledger.ruled(AGENT, first, clear)
    return Selection(Findings(events=(TaskStarted(task_id=first),)))


def ask_planner(turn: Turn[Session], session: Session, source: FeedbackSource, kind: str, reason: str) -> Findings:
    """Return the record that triggers a re-plan, and the event that marks the request."""
    asked = ReplanAsked()
    marked = asked.apply(session, turn.now)
    record = feedback(marked, source, kind=kind, reason=reason, seq=turn.seq, at=turn.now)
    return Findings(events=(asked,), records=(record,))


def _clear(words: Words, session: Session, seq: int, offered: Choices) -> str | None:
    if words.is_backchannel:
        return "nothing was said that a task could fit"
    if comes_back(session, offered):
        return None
    if len(offered.waiting) == 1:
        return "only one candidate"
    return None if to_be_weighed(session, seq) else "the plan's order"


async def _ask(turn: Turn[Session], text: str, session: Session, offered: Choices, content: Content) -> Selection:
    """Let the model choose; without a valid answer, keep the present task or take the first that waits."""
    allowed = (*offered.ids, NONE_FITS) if offered.may_refuse else offered.ids
    selector = replace(SELECTOR, answers=limit_field(TaskChoice, "task_id", allowed))
    wrong = _check(offered, allowed, text)
    answer = await turn.runner.ask(selector, _input(turn, text, session, offered), turn.scope, wrong)
    choice = _without_instructions(turn, session, answer, content.text_rules)
    refused = choice.task_id == NONE_FITS and bool(offered.waiting)
    found = _feedback(turn, session, choice) if refused else Findings()
    chosen = TaskId(choice.task_id) if choice.task_id in offered.ids else _kept(session, offered)
    if chosen is not None and (chosen != session.current_task or session.task_in_progress is None):
        found += Findings(events=(TaskStarted(task_id=chosen, guide=choice.execution_guide[:GUIDE_LENGTH]),))
    return Selection(found, served=choice.task_id in offered.ids)


def _check(offered: Choices, allowed: tuple[str, ...], text: str) -> Callable[[TaskChoice], str | None]:
    """Return a check of the answer: an offered task, with a verbatim quote if the user must return to it."""

    def wrong(choice: TaskChoice) -> str | None:
        if choice.task_id not in allowed:
            return f"task_id must be one of {sorted(allowed)}"
        if choice.task_id in offered.wait_for_return and not is_verbatim_quote(choice.return_quote, text):
            return "a covered task needs return_quote: the user's own words in the newest message, verbatim"
        return None

    return wrong


def _without_instructions(turn: Turn[Session], session: Session, choice: TaskChoice, rules: TextRules) -> TaskChoice:
    """Return the choice without instructions to a model, since the Counselor and the planner get its texts."""
    instruction_filter = InstructionFilter(rules, AGENT, session.conversation_id)
    texts = ("execution_guide", "selection_reason", "feedback_to_task_planner")
    left = choice.model_copy(update={name: instruction_filter.text(getattr(choice, name)) for name in texts})
    instruction_filter.tell(turn.seq)
    return left


def _kept(session: Session, offered: Choices) -> TaskId | None:
    present = session.task_in_progress
    if present is not None:
        return present.id
    return offered.waiting[0].id if offered.waiting else None


def _feedback(turn: Turn[Session], session: Session, choice: TaskChoice) -> Findings:
    """Ask the planner for a re-plan because no task fits, if it may be asked."""
    if not may_replan(session) or agreed_to_close(session):
        return Findings()
    reason = choice.feedback_to_task_planner or choice.selection_reason
    return ask_planner(turn, session, FeedbackSource.TASK_SELECTOR, "no_fitting_task", reason)


def _input(turn: Turn[Session], text: str, state: Session, offered: Choices) -> SelectionInput:
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
        lines=lines(turn.state.recent),
        text=text,
    )


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
