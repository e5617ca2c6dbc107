"""The record of a plan of Part 2: what was decided, from what, and what became of the plan before it."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.task import TaskKind
from shared.domain.ids import ModuleId, TaskId
from shared.domain.records import Record
from shared.model import Model

MOST_FAULTS = 40
"""Faults that a record names one by one; all are counted."""


class PlanOrigin(StrEnum):
    """Who made a plan."""

    MODEL = "model"
    TEMPLATE = "template"
    """Code, from the level's template: no model could be reached, or what it proposed did not hold."""


class Fault(StrEnum):
    """Why something of a proposal was corrected or dropped."""

    MODEL_FAILED = "model_failed"
    """No answer came, or none of the schema: the template holds."""
    EMPTY_GOAL = "empty_goal"
    CUT = "cut"
    """A text was too long and is shortened."""
    ALARMING = "alarming"
    """It speaks of suicide or harm, which is no subject of a plan."""
    INSTRUCTIVE = "instructive"
    """It speaks to a model instead of about the client."""

    UNKNOWN_KEYWORD = "unknown_keyword"
    DOUBLE_KEYWORD = "double_keyword"
    UNRATED_KEYWORD = "unrated_keyword"
    RATING_OUT_OF_RANGE = "rating_out_of_range"
    UNQUOTED = "unquoted"
    """Rated as relevant without any words that show it."""
    INVENTED_QUOTE = "invented_quote"
    """The user did not say that."""

    EMPTY_TEXT = "empty_text"
    UNKNOWN_KIND = "unknown_kind"
    UNKNOWN_PRIORITY = "unknown_priority"
    UNKNOWN_MODULE = "unknown_module"
    """Or one that is never planned; the one that suits the kind stands for it."""
    DOUBLE_TASK = "double_task"
    ALREADY_COVERED = "already_covered"
    """A task of that title is under way or done."""
    TOO_FEW_TASKS = "too_few_tasks"
    TOO_MANY_TASKS = "too_many_tasks"
    RESTRICTION_ADDED = "restriction_added"
    """The level's restriction was left out."""

    SLOT_KIND = "slot_kind"
    SLOT_TEXT = "slot_text"
    """Without a label, or without a question that ends as one."""
    SLOT_CHOICES = "slot_choices"
    """A choice without two choices, or choices where there is nothing to choose."""
    SLOT_BOUNDS = "slot_bounds"
    """A lowest value above the highest."""
    SLOT_KNOWN = "slot_known"
    """It asks for what the user gave."""
    SLOT_RENAMED = "slot_renamed"
    TOO_MANY_SLOTS = "too_many_slots"

    UNKNOWN_PERSONA = "unknown_persona"
    UNSURE_PERSONA = "unsure_persona"
    """Below the floor of confidence, or without enough of the user's words."""


class PlanFinding(Model):
    """One fault, and what it was found in; nothing of a text that alarms or instructs."""

    fault: Fault
    what: str = ""


class RatedKeyword(Model):
    """How near a keyword is to what the user told.

    Attributes:
        relevance: 0 (nothing of it) to 10 (what it is all about).
        quote: The user's own words that show it; empty when there are none.
    """

    keyword: str
    relevance: int = Field(ge=0, le=10)
    quote: str = ""
    chosen: bool = False


class PlannedTask(Model):
    """A task as planned."""

    id: TaskId
    title: str
    kind: TaskKind
    module_id: ModuleId
    slots: tuple[str, ...] = ()


class PersonaInference(Model):
    """What the persona was inferred from; `type` is what was guessed, also when the guess did not hold."""

    type: str
    confidence: float
    evidence: tuple[str, ...]
    held: bool


class AnsweredFeedback(Model):
    """Feedback that a plan answers."""

    id: str
    source: FeedbackSource
    kind: str
    reason: str


class PlanRecord(Record):
    """A plan of Part 2 as it was applied. Id: 0 for the first, then the count of the re-plan.

    Attributes:
        attempts: Calls of the model that made it.
        persona: Of the first plan, when the client gave no type.
        found: What was corrected or dropped, the newest if there was more than `MOST_FAULTS`.
        counted: How often each fault was found.
        feedback: What a re-plan answers.
        kept: Tasks of the plan before that stay.
        retired: Tasks of the plan before that waited and were put aside.
    """

    collection: ClassVar[str] = "plans"
    number: int = Field(ge=0)
    seq: int
    origin: PlanOrigin
    level: int
    goal: str
    keywords: tuple[RatedKeyword, ...]
    tasks: tuple[PlannedTask, ...]
    attempts: int = 0
    persona: PersonaInference | None = None
    found: tuple[PlanFinding, ...] = ()
    counted: dict[Fault, int] = Field(default_factory=dict)
    feedback: tuple[AnsweredFeedback, ...] = ()
    kept: tuple[TaskId, ...] = ()
    retired: tuple[TaskId, ...] = ()
