"""Tasks: guidelines for the present moment of a session, chosen non-linearly inside a Part."""

from collections.abc import Iterable
from datetime import datetime
from enum import IntEnum, StrEnum

from pydantic import Field

from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import Slot
from shared.model import Model

MAX_RETURNS = 2
"""How often a covered task may be taken up again: every session can end."""


class Part(IntEnum):
    """Where a session stands; linear."""

    OPENING = 1
    """Relationship, reason for coming, persona."""
    EXPLORATION = 2
    """The planned part."""
    CLOSING = 3
    """Summary, goals, what comes next."""


class TaskStatus(StrEnum):
    """Lifecycle of a task; see `shared/domain/counseling/lifecycle.py` for who may set it."""

    PENDING = "pending"
    """Waiting."""
    IN_PROGRESS = "in_progress"
    """The current task; at most one a session."""
    SUFFICIENT = "sufficient"
    """Covered; may be chosen again, at the lowest rank."""
    COMPLETED = "completed"
    """Closed by a Part transition or the session's end; never chosen again."""


class Priority(StrEnum):
    """How much a task matters inside its Part."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class TaskOrigin(StrEnum):
    """Who made a task."""

    TEMPLATE = "template"
    """The session type's template."""
    PLANNER = "planner"
    """The planner, for Part 2."""
    WRAP_UP = "wrap_up"
    """The session manager, for the closing."""
    FEEDBACK = "feedback"
    """A re-plan after feedback."""


class TaskKind(StrEnum):
    """What a task is about; the module table is keyed by it."""

    WELCOME = "welcome"
    INFORMATION = "information"
    RAPPORT = "rapport"
    PERSONA = "persona"
    EXPLORATION = "exploration"
    EMOTION = "emotion"
    PATTERN = "pattern"
    COPING = "coping"
    SUMMARY = "summary"
    GOAL_SETTING = "goal_setting"
    NEXT_SESSION = "next_session"
    FURTHER_QUESTIONS = "further_questions"


class CompletionRule(StrEnum):
    """How a task becomes sufficient."""

    SLOTS = "slots"
    """Exactly when every required slot holds a valid value; no model is asked."""
    REPLY = "reply"
    """By the user's first reply after it was chosen."""
    NOTHING_LEFT = "nothing_left"
    """By the user's no to whether anything is left to say; a yes invites the words."""
    JUDGED = "judged"
    """By the Task Completion Checker against `completion_criteria`, with a quote as evidence."""


class SufficientReason(StrEnum):
    """Why a task became sufficient."""

    GATE = "gate"
    """Every required slot is filled."""
    REPLY = "reply"
    """The user answered."""
    EXPLICIT = "explicit"
    """The user said that this is done ("이 얘기는 다 했어요")."""
    JUDGED = "judged"
    """The model found the goal reached, and its evidence was checked."""
    BOUNDED = "bounded"
    """`max_turns` was reached: every session can end."""


class Task(Model):
    """One task. Texts are in the session's language.

    Attributes:
        module_id: The module that suits it when nothing else speaks.
        turns_spent: Turns in which it was the current task, counted anew when it is taken up again.
        returns: How often it was taken up again after it was covered.
        asks_back: It asks about an earlier session, and has no place where none is known.
        parked: A re-plan put it aside with its topic: it is taken up when the user comes back to it, and not awaited.
    """

    id: TaskId = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    part: Part
    kind: TaskKind
    module_id: ModuleId
    priority: Priority = Priority.MEDIUM
    title: str
    description: str
    target: str
    completion_criteria: str
    completion_rule: CompletionRule = CompletionRule.JUDGED
    restrictions: str | None = None
    status: TaskStatus = TaskStatus.PENDING
    origin: TaskOrigin = TaskOrigin.TEMPLATE
    required_slots: tuple[Slot, ...] = ()
    optional_slots: tuple[Slot, ...] = ()
    turns_spent: int = Field(default=0, ge=0)
    max_turns: int = Field(default=6, ge=1)
    returns: int = Field(default=0, ge=0)
    asks_back: bool = False
    parked: bool = False
    created_at: datetime | None = None
    started_at: datetime | None = None
    sufficient_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Required slots, then optional ones."""
        return self.required_slots + self.optional_slots

    @property
    def covered(self) -> bool:
        """Sufficient or completed."""
        return self.status in (TaskStatus.SUFFICIENT, TaskStatus.COMPLETED)


def may_return(task: Task) -> bool:
    """Tell whether a task that is covered or put aside may be taken up again."""
    if task.status is TaskStatus.PENDING:
        return task.parked
    return task.status is TaskStatus.SUFFICIENT and task.returns < MAX_RETURNS


def waits(task: Task) -> bool:
    """Tell whether a task is still to be worked on: neither covered nor put aside."""
    return not task.covered and not task.parked


_STATUS_RANK = {TaskStatus.PENDING: 0, TaskStatus.IN_PROGRESS: 1, TaskStatus.SUFFICIENT: 2}
_PRIORITY_RANK = {Priority.HIGH: 0, Priority.MEDIUM: 1, Priority.LOW: 2}


def rank(tasks: Iterable[Task], part: Part, *, wrapping_up: bool) -> list[Task]:
    """Order the tasks that may be chosen, best first.

    Completed tasks and other Parts' tasks are dropped. While wrapping up, the closing work goes first; then by
    status (pending, in progress, sufficient; what was put aside stands with the last), then priority, then the order in
    which they were made (seed 000).
    """
    candidates = [t for t in tasks if t.part == part and t.status is not TaskStatus.COMPLETED]

    def key(task: Task) -> tuple[bool, int, int]:
        closing_first = wrapping_up and task.origin is not TaskOrigin.WRAP_UP and task.part is not Part.CLOSING
        status = TaskStatus.SUFFICIENT if task.parked else task.status
        return closing_first, _STATUS_RANK[status], _PRIORITY_RANK[task.priority]

    return sorted(candidates, key=key)


def part_covered(tasks: Iterable[Task], part: Part) -> bool:
    """Tell whether a Part has tasks and all are covered; those that were put aside with their topic are not awaited."""
    own = [task for task in tasks if task.part == part]
    return any(task.covered for task in own) and not any(waits(task) for task in own)
