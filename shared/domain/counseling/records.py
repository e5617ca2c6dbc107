"""The counselling service's documents below a session."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field, JsonValue

from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.ids import TaskId
from shared.domain.records import Record
from shared.model import Model


class PartTransition(Record):
    """A Part was found complete; its creation triggers the planner. Id: `{from}-{to}`."""

    collection: ClassVar[str] = "part_transitions"
    from_part: Part
    to_part: Part
    seq: int
    reason: str


class FeedbackSource(StrEnum):
    """The worker that asks for a re-plan."""

    TASK_SELECTOR = "task_selector"
    PART_MANAGER = "part_manager"
    SUPERVISOR = "supervisor"
    USER_STATE = "user_state"
    PLANNER = "planner"


class FeedbackKind(StrEnum):
    """Reasons for a re-plan."""

    NO_FITTING_TASK = "no_fitting_task"
    GOAL_OUT_OF_REACH = "goal_out_of_reach"
    STRATEGY_CHANGE = "strategy_change"
    RESISTANCE = "resistance"
    EMOTION_CHANGE = "emotion_change"
    TOPIC_CHANGE = "topic_change"
    CIRCULAR = "circular"


MODEL_UNREACHABLE = "model_unreachable"
"""The planner's own feedback: the plan or its persona was made while no model could be reached."""


class FeedbackStatus(StrEnum):
    PENDING = "pending"
    APPLIED = "applied"
    """Answered by the plan whose record names it."""
    SUPERSEDED = "superseded"
    """No plan will answer it: Part 2 or the session is over, or the bound on re-plans is reached."""


class PlannerFeedback(Record):
    """A reason for a re-plan of Part 2. Its creation triggers the planner, which later changes only the status.

    Attributes:
        kind: A `FeedbackKind`, or `MODEL_UNREACHABLE`.
        status: A `FeedbackStatus`.
    """

    collection: ClassVar[str] = "planner_feedback"
    source: FeedbackSource
    kind: str
    reason: str
    seq: int
    status: str = FeedbackStatus.PENDING.value

    @property
    def pending(self) -> bool:
        """Whether it waits for a plan."""
        return self.status == FeedbackStatus.PENDING

    def became(self, status: FeedbackStatus) -> "PlannerFeedback":
        return self.model_copy(update={"status": status.value})


class Completion(Record):
    """A task became sufficient. Id: `{seq}-{task}`."""

    collection: ClassVar[str] = "completions"
    task_id: str
    reason: SufficientReason
    evidence: str
    seq: int


class Supervision(Record):
    """The supervisor's judgement. Id: the judged `seq`.

    Attributes:
        left_out: Judged turns without a model's reply, which were skipped.
        corrected: Codes of corrections to the model's answer.
    """

    collection: ClassVar[str] = "supervision"
    seq: int
    scores: dict[str, int]
    total: float = Field(ge=1, le=10)
    improvements: tuple[str, ...]
    strengths: tuple[str, ...]
    needs_improvement: bool
    suggested_module: str | None = None
    strategy: str = ""
    left_out: tuple[int, ...] = ()
    corrected: tuple[str, ...] = ()


class WrapUpTask(Model):
    id: TaskId
    title: str


class Review(Record):
    """The session manager's review. Id: the reviewed `seq`.

    Attributes:
        goals: By goal of the session's type: whether it is met, and the quote that shows it.
        part2_completed: None outside Part 2.
        session_status: Status of the session after the review.
        goals_met: Every goal of the session's type is met.
        first_session_goals_met: The same for a first session; None for other types.
        wrap_up_tasks: Tasks of the closing, if the review leads to one or recommends it.
        corrected: Codes of corrections to the model's answer.
    """

    collection: ClassVar[str] = "reviews"
    seq: int
    goals: dict[str, JsonValue]
    completion_score: float = Field(ge=0, le=1)
    missing_goals: tuple[str, ...]
    recommendation: str
    part2_completed: bool | None
    reason: str
    feedback_to_task_planner: str = ""
    session_status: str = ""
    goals_met: bool = False
    first_session_goals_met: bool | None = None
    wrap_up_tasks: tuple[WrapUpTask, ...] = ()
    corrected: tuple[str, ...] = ()
