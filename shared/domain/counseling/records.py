"""The counselling service's documents beside the session."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field, JsonValue

from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.records import Record


class PartTransition(Record):
    """A Part was found complete; its creation triggers the planner. Id: `{from}-{to}`."""

    collection: ClassVar[str] = "part_transitions"
    from_part: Part
    to_part: Part
    seq: int
    reason: str


class FeedbackSource(StrEnum):
    """Who asks the planner for another plan."""

    TASK_SELECTOR = "task_selector"
    PART_MANAGER = "part_manager"
    SUPERVISOR = "supervisor"
    USER_STATE = "user_state"


class PlannerFeedback(Record):
    """A reason to plan Part 2 anew; its creation triggers the planner."""

    collection: ClassVar[str] = "planner_feedback"
    source: FeedbackSource
    kind: str
    reason: str
    seq: int
    status: str = "pending"


class Completion(Record):
    """A task became sufficient. Id: `{seq}-{task}`."""

    collection: ClassVar[str] = "completions"
    task_id: str
    reason: SufficientReason
    evidence: str
    seq: int


class Supervision(Record):
    """The supervisor's judgement. Id: the `seq` it judged."""

    collection: ClassVar[str] = "supervision"
    seq: int
    scores: dict[str, int]
    total: float = Field(ge=1, le=10)
    improvements: tuple[str, ...]
    strengths: tuple[str, ...]
    needs_improvement: bool
    suggested_module: str | None = None
    strategy: str = ""


class Review(Record):
    """The session manager's review. Id: the `seq` it saw."""

    collection: ClassVar[str] = "reviews"
    seq: int
    goals: dict[str, JsonValue]
    completion_score: float = Field(ge=0, le=1)
    missing_goals: tuple[str, ...]
    recommendation: str
    part2_completed: bool
    reason: str
    feedback_to_task_planner: str = ""
