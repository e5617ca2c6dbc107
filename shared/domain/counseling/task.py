"""Tasks: guidelines for a phase of a session, chosen in any order inside a Part."""

from collections.abc import Iterable
from datetime import datetime
from enum import IntEnum, StrEnum

from pydantic import Field

from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import Slot
from shared.model import Model

MAX_RETURNS = 2
"""How often a covered task may be restarted; bounded so that every session can end."""


class Part(IntEnum):
    """The sections of a session, in order."""

    OPENING = 1
    """Relationship, reason for coming, persona."""
    EXPLORATION = 2
    """The planned part."""
    CLOSING = 3
    """Summary, goals, next steps."""


class TaskStatus(StrEnum):
    """Lifecycle of a task; `shared/domain/counseling/lifecycle.py` defines the allowed changes."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    """The current task; at most one per session."""
    SUFFICIENT = "sufficient"
    """Covered; may be chosen again, at the lowest rank."""
    COMPLETED = "completed"
    """Closed by a Part transition or the session's end; never chosen again."""


class Priority(StrEnum):
    """A task's importance inside its Part."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class TaskOrigin(StrEnum):
    """The origin of a task."""

    TEMPLATE = "template"
    PLANNER = "planner"
    """The planner, for Part 2."""
    WRAP_UP = "wrap_up"
    """The session manager, for the closing."""
    FEEDBACK = "feedback"
    """A re-plan."""


class TaskKind(StrEnum):
    """A task's subject; the module table uses it."""

    WELCOME = "welcome"
    ORIENTATION = "orientation"
    """How the counselling goes and what can be expected."""
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
    SLOTS = "slots"
    """When every required slot has a valid value; no model is asked."""
    REPLY = "reply"
    """By the user's first reply after it was chosen."""
    NOTHING_LEFT = "nothing_left"
    """When the user says that nothing is left to say."""
    STEPS = "steps"
    """When every optional slot was asked for or skipped; rules only (the safety plan)."""
    JUDGED = "judged"
    """By the task completion checker against `completion_criteria`, with a quote as evidence."""


class SufficientReason(StrEnum):
    """Why a task became sufficient."""

    GATE = "gate"
    REPLY = "reply"
    EXPLICIT = "explicit"
    """The user said that this is done ("이 얘기는 다 했어요")."""
    JUDGED = "judged"
    """The model judged it complete, and its evidence was checked."""
    BOUNDED = "bounded"
    """`max_turns` was reached, so that every session can end."""


DEEP_KINDS = frozenset({TaskKind.PATTERN, TaskKind.COPING})
"""Tasks that one or two sentences do not fulfil."""


def signs_needed(kind: TaskKind) -> int:
    """Return the turns whose messages must show that a task of Part 2 is complete."""
    return 3 if kind in DEEP_KINDS else 2


class Task(Model):
    """One task. Texts are in the session's language.

    Attributes:
        module_id: The module that suits it by default.
        turns_spent: Turns as the current task since its last start.
        min_turns: Turns whose messages must show that a judged task is complete.
        signs: Those turns so far.
        returns: How often it was restarted after it was covered.
        asks_back: It asks about an earlier session, and is left out if none is known.
        parked: A re-plan put it aside; it resumes if the user returns to its topic, and nothing waits for it.
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
    min_turns: int = Field(default=2, ge=1)
    signs: tuple[int, ...] = ()
    returns: int = Field(default=0, ge=0)
    asks_back: bool = False
    parked: bool = False
    created_at: datetime | None = None
    started_at: datetime | None = None
    sufficient_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def slots(self) -> tuple[Slot, ...]:
        return self.required_slots + self.optional_slots

    def with_sign(self, seq: int) -> "Task":
        """Return the task with the sign that turn `seq` gave."""
        return self if seq in self.signs else self.model_copy(update={"signs": (*self.signs, seq)})

    @property
    def covered(self) -> bool:
        return self.status in (TaskStatus.SUFFICIENT, TaskStatus.COMPLETED)


def follows_into(task: Task, part: Part) -> Task:
    """Return an unfinished task that belongs to no Part (a safety plan), waiting in `part`; another task unchanged."""
    if task.completion_rule is not CompletionRule.STEPS or task.covered:
        return task
    return task.model_copy(update={"part": part, "status": TaskStatus.PENDING})


def left_unfinished(task: Task) -> bool:
    """Tell whether a safety plan was left for the closing; it is taken up again only if the user asks for it."""
    return task.completion_rule is CompletionRule.STEPS and task.sufficient_at is None


def may_return(task: Task) -> bool:
    """Tell whether a covered or parked task may be restarted."""
    if task.status is TaskStatus.PENDING:
        return task.parked
    return task.status is TaskStatus.SUFFICIENT and task.returns < MAX_RETURNS


def waits(task: Task) -> bool:
    """Tell whether a task is still to be worked on: neither covered nor parked."""
    return not task.covered and not task.parked


_STATUS_RANK = {TaskStatus.PENDING: 0, TaskStatus.IN_PROGRESS: 1, TaskStatus.SUFFICIENT: 2}
_PRIORITY_RANK = {Priority.HIGH: 0, Priority.MEDIUM: 1, Priority.LOW: 2}


def rank(tasks: Iterable[Task], part: Part, *, wrapping_up: bool) -> list[Task]:
    """Order the tasks that may be chosen, best first.

    Completed tasks and other Parts' tasks are dropped. While wrapping up, closing tasks go first; then by status
    (pending, in progress, sufficient or parked), by priority and by creation.
    """
    candidates = [t for t in tasks if t.part == part and t.status is not TaskStatus.COMPLETED]

    def key(task: Task) -> tuple[bool, int, int]:
        closing_first = wrapping_up and task.origin is not TaskOrigin.WRAP_UP and task.part is not Part.CLOSING
        status = TaskStatus.SUFFICIENT if task.parked else task.status
        return closing_first, _STATUS_RANK[status], _PRIORITY_RANK[task.priority]

    return sorted(candidates, key=key)


def part_covered(tasks: Iterable[Task], part: Part) -> bool:
    """Tell whether a Part has tasks and all but parked ones are covered."""
    own = [task for task in tasks if task.part == part]
    return any(task.covered for task in own) and not any(waits(task) for task in own)
