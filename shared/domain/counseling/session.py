"""The counselling session: one document, legible in the Firestore console with the seeds beside it."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field, JsonValue

from shared.domain.conversation import ConversationState
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.staff_review import StaffReview
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.domain.counseling.user_state import UserState
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import SlotValue
from shared.model import Model
from shared.safety.ages import StatedAge
from shared.safety.follow_through import Risk

NEWEST_LOG_ENTRIES = 5
"""Entries of each log kept in the session; every entry is in a subcollection, or waits in the log to be put there."""


MINOR_BAND = "14_18"
"""The age band of minors."""


class SessionType(StrEnum):
    """Which template a session starts from."""

    FIRST_SESSION = "first_session"
    FOLLOW_UP = "follow_up"
    CLOSING = "closing"


class SessionStatus(StrEnum):
    """Lifecycle of a session; only the user ends one."""

    ACTIVE = "active"
    WRAPPING_UP = "wrapping_up"
    """Closing tasks; back to active when the user asks for more."""
    COMPLETED = "completed"


class PlanStatus(StrEnum):
    """State of the Part 2 plan."""

    NONE = "none"
    PLANNING = "planning"
    """Part 1 is done; the Counselor bridges until the plan is there."""
    READY = "ready"


class WrapUpStage(StrEnum):
    """How far an ending has come."""

    SUGGESTED = "suggested"
    """It is to be proposed: as the session manager sees it, or because the first answer was neither yes nor no."""
    PROPOSED = "proposed"
    """The user was asked; the next message is read as an answer."""
    AGREED = "agreed"
    DECLINED = "declined"


class WrapUpAim(StrEnum):
    """What the user was asked to agree to."""

    WRAP_UP = "wrap_up"
    """Move on to the closing Part."""
    END = "end"
    """End the session here and now."""


class WrapUp(Model):
    """A proposal to close, and what became of it.

    Attributes:
        unclear: How often it was answered neither yes nor no; it is made once more, later.
    """

    stage: WrapUpStage
    aim: WrapUpAim = WrapUpAim.WRAP_UP
    reason: str = ""
    seq: int = Field(default=0, ge=0)
    declined: int = Field(default=0, ge=0)
    unclear: int = Field(default=0, ge=0)


class Watermarks(Model):
    """`message_count` up to which each background work is done.

    Attributes:
        completions: The turn up to which the documents of completions are written; None before the first completion.
    """

    supervised: int = Field(default=0, ge=0)
    reviewed: int = Field(default=0, ge=0)
    summarized: int = Field(default=0, ge=0)
    completions: int | None = Field(default=None, ge=0)


class LogEntry(Model):
    """The gist of a background result, kept newest few in the session."""

    seq: int
    at: datetime
    data: dict[str, JsonValue]


class Session(ConversationState):
    """All of one counselling session.

    Attributes:
        current_task: At most one task is in progress, and this is its id.
        user_info: Slot values the user gave; absence means "not given".
        declined_slots: Slots that the user does not want to fill: they count as given and are not asked for again.
        asked: How often each slot was asked for, so that a question is never put the same way twice.
        asked_seq: The turn in which each slot was last asked for: until some turns later it is left alone.
        last_asked: The slot that the newest reply asked for.
        readings: The newest few readings of the user, by turn, for what shows only over time.
        announced_part: The Part that the Counselor has last led over to.
        planning_seq: The turn that set the planner to work.
        leaving_seq: The turn in which the transition to the closing was asked for; None when the user wants to go on.
        went_back: How often the user was taken back from the closing; it numbers the transitions' documents.
        repeat_asked_seq: The newest turn whose reply asked the user to say it once more; never two running.
        protocol_replies: Crisis protocol replies given; picks the next wording.
        replans: Re-plans that feedback has asked for and that are not applied yet: coalesced.
        replan_seq: The turn in which the oldest feedback that waits was given.
        replan_rounds: How often feedback was answered, by a plan or without one: who read it at another count is late.
        replanned_seq: The turn of the newest re-plan that was applied.
        state_feedback: The turn in which each kind of feedback on the user's state was last given to the planner.
        closing_made: The ended session has a closing.
        closing_by_rule: Code put it together.
        stand_in_summary: Summary of a closing that stands in until a model can be reached; None of any other closing.
        next_session: What the closing leaves for the next session.
        carried: What was known from earlier sessions at the opening.
        notified_at: When the user was last told that they talk to an AI; None: in the greeting.
        staff_review: Why a reviewer is to look at the session, or has; None while nothing was flagged.
        review_place: The session's place in the reviewers' queue, which is listed by it.
        stated_age: The age that the user stated in the talk; None while they stated none, or that of an adult.
        unkept: Digest of the newest message whose words were not kept: by it the same words are known to come again.
    """

    session_type: SessionType = SessionType.FIRST_SESSION
    status: SessionStatus = SessionStatus.ACTIVE
    title: str = ""
    current_part: Part = Part.OPENING
    tasks: tuple[Task, ...] = ()
    current_task: TaskId | None = None
    execution_guide: str = ""
    current_module: ModuleId
    previous_module: ModuleId | None = None
    module_change_reason: str | None = None
    user_info: dict[str, SlotValue] = Field(default_factory=dict)
    declined_slots: tuple[str, ...] = ()
    asked: dict[str, int] = Field(default_factory=dict)
    asked_seq: dict[str, int] = Field(default_factory=dict)
    last_asked: str | None = None
    slot_errors: dict[str, str] = Field(default_factory=dict)
    user_persona: UserPersona = UserPersona()
    user_state: UserState = UserState()
    readings: tuple[StateReading, ...] = ()
    announced_part: Part = Part.OPENING
    part2_goal: str | None = None
    selected_keywords: tuple[str, ...] = ()
    plan_status: PlanStatus = PlanStatus.NONE
    planning_seq: int | None = None
    leaving_seq: int | None = None
    went_back: int = Field(default=0, ge=0)
    part2_task_update_count: int = Field(default=0, ge=0)
    part2_started_seq: int | None = None
    replans: int = Field(default=0, ge=0)
    state_feedback: dict[str, int] = Field(default_factory=dict)
    replan_seq: int | None = None
    replan_rounds: int = Field(default=0, ge=0)
    replanned_seq: int | None = None
    goals: tuple[str, ...] = ()
    wrap_up: WrapUp | None = None
    risk: Risk = Risk()
    repeat_asked_seq: int | None = None
    protocol_replies: int = Field(default=0, ge=0)
    watermarks: Watermarks = Watermarks()
    supervision_log: tuple[LogEntry, ...] = ()
    session_manager_log: tuple[LogEntry, ...] = ()
    completion_log: tuple[LogEntry, ...] = ()
    degraded_replies: int = Field(default=0, ge=0)
    ended_at: datetime | None = None
    closing_made: bool = False
    closing_by_rule: bool = False
    stand_in_summary: str | None = None
    next_session: str = ""
    carried: Carried | None = None
    notified_at: datetime | None = None
    satisfaction: int | None = Field(default=None, ge=1, le=5)
    staff_review: StaffReview | None = None
    review_place: str | None = None
    stated_age: StatedAge | None = None
    unkept: str | None = None

    @property
    def ended(self) -> bool:
        """Whether the session is over."""
        return self.status is SessionStatus.COMPLETED

    @property
    def in_danger(self) -> bool:
        """See `ConversationState`."""
        just_asked = self.risk.asked_seq == self.seq
        return self.risk.follow_through or self.risk.attended or just_asked

    @property
    def minor(self) -> bool:
        """Whether the user is a minor, by the age they chose or one they stated."""
        return self.age_band == MINOR_BAND or self.stated_age is not None

    @property
    def under_14(self) -> bool:
        """Whether the user stated an age at which a guardian must consent (docs/decisions/0026): no model is asked."""
        return self.stated_age is StatedAge.UNDER_14

    @property
    def unsummarized(self) -> int:
        """See `ConversationState`."""
        return max(0, self.message_count - self.watermarks.summarized)

    @property
    def keeps_words(self) -> bool:
        """See `ConversationState`; of who is under 14 no words are kept that were written after they stated it."""
        return not self.under_14

    def task(self, task_id: str | None) -> Task | None:
        """Return the task of that id."""
        return next((task for task in self.tasks if task.id == task_id), None)

    @property
    def task_in_progress(self) -> Task | None:
        """The current task while it is in progress."""
        task = self.task(self.current_task)
        return task if task is not None and task.status is TaskStatus.IN_PROGRESS else None

    @property
    def progress(self) -> float:
        """How far the session has come, 0 to 1: each Part is a third, by its covered tasks; none that was put aside."""
        if self.ended:
            return 1.0
        own = [task for task in self.tasks if task.part == self.current_part and not task.parked]
        covered = sum(task.covered for task in own) / len(own) if own else 0.0
        return round((self.current_part - 1 + covered) / 3, 3)
