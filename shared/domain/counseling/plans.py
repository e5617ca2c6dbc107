"""Records of plans of Part 2: what was decided, on what grounds, and what changed in the previous plan."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from shared.domain.counseling.level import LevelGround
from shared.domain.counseling.reason import ReasonHeard
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.task import TaskKind
from shared.domain.ids import ModuleId, TaskId
from shared.domain.records import Record
from shared.model import Model

MOST_FAULTS = 40
"""Most faults listed in a record; all are counted."""


class PlanOrigin(StrEnum):
    MODEL = "model"
    TEMPLATE = "template"
    """Code, from the templates of reason and level: no model could be reached, or its proposal was invalid."""


class Fault(StrEnum):
    """Why a part of a proposal was corrected or dropped."""

    MODEL_FAILED = "model_failed"
    """No answer came, or none that fits the schema; the template is used."""
    EMPTY_GOAL = "empty_goal"
    CUT = "cut"
    """A text was too long and was shortened."""
    ALARMING = "alarming"
    """It mentions suicide or harm, which a plan must not."""
    INSTRUCTIVE = "instructive"
    """It addresses a model instead of describing the client."""

    UNKNOWN_KEYWORD = "unknown_keyword"
    DOUBLE_KEYWORD = "double_keyword"
    UNRATED_KEYWORD = "unrated_keyword"
    RATING_OUT_OF_RANGE = "rating_out_of_range"
    UNQUOTED = "unquoted"
    """Rated as relevant without a quote."""
    INVENTED_QUOTE = "invented_quote"
    """The user did not say that."""

    EMPTY_TEXT = "empty_text"
    UNKNOWN_KIND = "unknown_kind"
    UNKNOWN_PRIORITY = "unknown_priority"
    UNKNOWN_MODULE = "unknown_module"
    """Unknown or not plannable; replaced by the module for the kind."""
    DOUBLE_TASK = "double_task"
    ALREADY_COVERED = "already_covered"
    """A task with that title is in progress or done."""
    TOO_FEW_TASKS = "too_few_tasks"
    TOO_MANY_TASKS = "too_many_tasks"
    RESTRICTION_ADDED = "restriction_added"
    """The level's restriction was missing."""

    SLOT_KIND = "slot_kind"
    SLOT_TEXT = "slot_text"
    """No label, or no question that ends with a question mark."""
    SLOT_CHOICES = "slot_choices"
    """A choice with fewer than two options, or options for another kind."""
    SLOT_BOUNDS = "slot_bounds"
    """The minimum is above the maximum."""
    SLOT_KNOWN = "slot_known"
    """It asks for what the user gave already."""
    SLOT_RENAMED = "slot_renamed"
    TOO_MANY_SLOTS = "too_many_slots"

    UNKNOWN_PERSONA = "unknown_persona"
    UNSURE_PERSONA = "unsure_persona"
    """Confidence too low, or too few quotes of the user."""


class PlanFinding(Model):
    """One fault and where it was found; alarming or instructive texts are left out."""

    fault: Fault
    what: str = ""


class RatedKeyword(Model):
    """A keyword's relevance for what the user told.

    Attributes:
        relevance: 0 (none) to 10 (the main topic).
        quote: The user's words that show it; may be empty.
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
    """Grounds of an inferred persona; `type` is the guess, even if it was rejected."""

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
    """A plan of Part 2 as applied. Id: 0 for the first, then the number of the re-plan.

    Attributes:
        level_grounds: Signs of the level in Part 1; empty if the level was given, carried over or not raised.
        reason: The reason for coming, if the user's words name a usual one.
        attempts: Model calls that made it.
        persona: Of the first plan, if the client gave no type.
        found: Corrections; the newest `MOST_FAULTS`.
        counted: How often each fault was found.
        feedback: Feedback that a re-plan answers.
        kept: Tasks of the previous plan that stay.
        retired: Waiting tasks of the previous plan that were parked.
    """

    collection: ClassVar[str] = "plans"
    number: int = Field(ge=0)
    seq: int
    origin: PlanOrigin
    level: int
    level_grounds: tuple[LevelGround, ...] = ()
    reason: ReasonHeard | None = None
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
