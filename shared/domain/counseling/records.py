"""The counselling service's documents beside the session."""

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
    """Who asks the planner for another plan."""

    TASK_SELECTOR = "task_selector"
    PART_MANAGER = "part_manager"
    SUPERVISOR = "supervisor"
    USER_STATE = "user_state"
    PLANNER = "planner"


class FeedbackKind(StrEnum):
    """Why another plan is asked for: v4's six conditions, resistance and emotion each by itself."""

    NO_FITTING_TASK = "no_fitting_task"
    GOAL_OUT_OF_REACH = "goal_out_of_reach"
    STRATEGY_CHANGE = "strategy_change"
    RESISTANCE = "resistance"
    EMOTION_CHANGE = "emotion_change"
    TOPIC_CHANGE = "topic_change"
    CIRCULAR = "circular"


MODEL_UNREACHABLE = "model_unreachable"
"""The planner's own feedback: the plan, or the persona that it rests on, was made while no model could be reached."""


class FeedbackStatus(StrEnum):
    """What has become of feedback."""

    PENDING = "pending"
    """Waits for a plan."""
    APPLIED = "applied"
    """A plan answers it: the one whose record names it."""
    SUPERSEDED = "superseded"
    """No plan will: Part 2 is over, the session has ended, or the bound on re-plans is reached."""


class PlannerFeedback(Record):
    """A reason to plan Part 2 anew; its creation triggers the planner, who alone changes it afterwards: its status.

    Attributes:
        kind: A `FeedbackKind`, or `MODEL_UNREACHABLE`, which bears no reason.
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
        """Return it with another status."""
        return self.model_copy(update={"status": status.value})


class Completion(Record):
    """A task became sufficient. Id: `{seq}-{task}`."""

    collection: ClassVar[str] = "completions"
    task_id: str
    reason: SufficientReason
    evidence: str
    seq: int


class Supervision(Record):
    """The supervisor's judgement. Id: the `seq` it judged.

    Attributes:
        left_out: Turns among those judged whose reply no model made, so that nobody is judged for it.
        corrected: Codes of what code put right in the model's answer.
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
    """A task of the closing, as a review names it."""

    id: TaskId
    title: str


class Review(Record):
    """The session manager's review. Id: the `seq` it saw.

    Attributes:
        goals: By goal of the session's type: whether it is met, and the words that show it.
        part2_completed: None outside Part 2, where it is not judged.
        session_status: Status of the session as the review left it.
        goals_met: Every goal of the session's type is met.
        first_session_goals_met: The same under the first session's own name; None for the other types.
        wrap_up_tasks: What the closing will hold, where the review leads to one or recommends it.
        corrected: Codes of what code put right in the model's answer.
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
