"""The counselling session, stored as one document."""

from datetime import datetime
from enum import StrEnum
from typing import Self

from pydantic import Field, JsonValue

from shared.domain.agreement.state import AgreementState
from shared.domain.booking.state import BookingState
from shared.domain.conversation import MOST_RECENT_MESSAGES, ConversationState
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.measures import MeasureId, MeasureResult, Moment
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.safety_plan import PlanTalk
from shared.domain.counseling.sources import Contradiction, Source, SourcedText
from shared.domain.counseling.staff_review import StaffReview
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.domain.counseling.user_state import UserState
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import SlotValue
from shared.model import Model
from shared.safety.ages import StatedAge
from shared.safety.follow_through import Risk
from shared.safety.help_seeking import HelpSeeking

KEPT_ASIDE = MOST_RECENT_MESSAGES // 2
"""Turns in `set_aside`: those that the window of messages may hold."""
MOST_DANGER_TURNS = 100
NEWEST_LOG_ENTRIES = 5
"""Entries kept of each log; all entries are stored in a subcollection or are still to be written there."""
MINOR_BAND = "14_18"
"""The age band of minors."""


class SessionType(StrEnum):
    """The template a session starts from."""

    FIRST_SESSION = "first_session"
    FOLLOW_UP = "follow_up"
    CLOSING = "closing"


class SessionStatus(StrEnum):
    """Lifecycle of a session; only the user ends one."""

    ACTIVE = "active"
    WRAPPING_UP = "wrapping_up"
    """Closing tasks; back to active if the user asks for more."""
    COMPLETED = "completed"


class PlanStatus(StrEnum):
    NONE = "none"
    PLANNING = "planning"
    """Part 1 is done; the counsellor bridges until the plan is ready."""
    READY = "ready"


class WrapUpStage(StrEnum):
    """Progress of an ending."""

    SUGGESTED = "suggested"
    """To be proposed: by the session manager, or because the first answer was unclear."""
    PROPOSED = "proposed"
    """The user was asked; the next message is read as the answer."""
    AGREED = "agreed"
    DECLINED = "declined"


class WrapUpAim(StrEnum):
    """What the user was asked to agree to."""

    WRAP_UP = "wrap_up"
    """Move on to the closing Part."""
    END = "end"
    """End the session now."""


class WrapUp(Model):
    """A proposal to close and its outcome.

    Attributes:
        unclear: Number of unclear answers; the proposal is repeated later.
        choice: The question offers to stay as well, so that a bare yes answers neither.
    """

    stage: WrapUpStage
    aim: WrapUpAim = WrapUpAim.WRAP_UP
    reason: str = ""
    seq: int = Field(default=0, ge=0)
    declined: int = Field(default=0, ge=0)
    unclear: int = Field(default=0, ge=0)
    choice: bool = False


class Watermarks(Model):
    """`message_count` up to which each background work is done.

    Attributes:
        completions: The turn up to which documents of completions are written; None before the first completion.
    """

    supervised: int = Field(default=0, ge=0)
    reviewed: int = Field(default=0, ge=0)
    summarized: int = Field(default=0, ge=0)
    completions: int | None = Field(default=None, ge=0)


class LogEntry(Model):
    """The gist of a background result; the session keeps the newest few."""

    seq: int
    at: datetime
    data: dict[str, JsonValue]


class Session(ConversationState):
    """One counselling session.

    Attributes:
        current_task: Id of the task in progress, if any.
        module_change_reason: Why the module was changed last, in words in the session's language.
        module_change_code: The same as a code (`ModuleChoice.code`).
        module_choices: What the model chose during the present task, by what each choice rested on.
        module_open: A rule chose among several modules; the model is still to be asked.
        user_info: Slot values that the user gave.
        info_sources: The turn and the user's words of each value; values of older documents may lack one.
        contradictions: By slot, a later value that differs from the given one.
        declined_slots: Slots that the user declined to fill; they count as given.
        asked: How often each slot was asked for, so that the wording varies.
        asked_seq: The turn in which each slot was last asked for; it rests for some turns.
        last_asked: The slot that the newest reply asked for.
        questions_said: Digests of what the replies asked and of the fixed sentences they held, the least recent first.
        readings: The newest readings of the user's state, by turn.
        set_aside: Turns whose words are no evidence for a task: about a danger, circular, a jump; the newest few.
        danger_turns: Turns about a danger, whose words nobody is shown again.
        announced_part: The last Part that the counsellor introduced.
        planning_seq: The turn that triggered the planner.
        stop_wished_seq: The turn in which the user wished to stop while something else went first; None once asked.
        leaving_seq: The turn that asked for the transition to the closing; None if the user wants to go on.
        went_back: Number of returns from the closing; part of the transition documents' ids.
        repeat_asked_seq: The newest turn whose reply asked the user to repeat; never two in a row.
        protocol_replies: Number of crisis protocol replies; selects the next wording.
        summary_sources: The sentences of `summary_text` with the user's words that they rest on.
        replans: Requested re-plans that are not applied yet.
        replan_seq: The turn of the oldest waiting feedback.
        replan_rounds: How often feedback was answered; a worker that read another value is late.
        replanned_seq: The turn of the newest applied re-plan.
        state_feedback: The turn of the last feedback of each kind about the user's state.
        closing_made: The ended session has a closing.
        closing_by_rule: Code built the closing.
        stand_in_summary: Summary of a stand-in closing; None for a final one.
        next_session: The closing's plan for the next session.
        carried: The gist of earlier sessions at the opening.
        notified_at: When the user was last told that they talk to an AI; None means in the greeting.
        staff_review: Flags for reviewers; None if nothing was flagged.
        review_place: Sort key in the reviewers' queue.
        stated_age: The age that the user stated; None without one or for an adult's.
        resuming_replans: Re-plans that added no task; they do not count towards the bound.
        safety_plan: The safety plan that this session offers or makes.
        short_answers: How many of the newest messages in a row say little ("네", "몰라요").
        questions_rest_seq: The newest turn in which the user had enough of questions.
        misreads: How often the user said that a reply misread them.
        unkept: Digest of the newest message whose text was not stored; it detects a resend.
        measures: The newest result of each measure at each moment.
        booking, agreement: What the other services keep.
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
    module_change_code: str | None = None
    module_choices: dict[str, ModuleId] = Field(default_factory=dict)
    module_open: bool = False
    user_info: dict[str, SlotValue] = Field(default_factory=dict)
    info_sources: dict[str, Source] = Field(default_factory=dict)
    contradictions: dict[str, Contradiction] = Field(default_factory=dict)
    declined_slots: tuple[str, ...] = ()
    asked: dict[str, int] = Field(default_factory=dict)
    asked_seq: dict[str, int] = Field(default_factory=dict)
    last_asked: str | None = None
    questions_said: tuple[str, ...] = ()
    slot_errors: dict[str, str] = Field(default_factory=dict)
    user_persona: UserPersona = UserPersona()
    user_state: UserState = UserState()
    readings: tuple[StateReading, ...] = ()
    set_aside: tuple[int, ...] = ()
    danger_turns: tuple[int, ...] = ()
    announced_part: Part = Part.OPENING
    part2_goal: str | None = None
    selected_keywords: tuple[str, ...] = ()
    plan_status: PlanStatus = PlanStatus.NONE
    planning_seq: int | None = None
    leaving_seq: int | None = None
    stop_wished_seq: int | None = None
    went_back: int = Field(default=0, ge=0)
    part2_task_update_count: int = Field(default=0, ge=0)
    resuming_replans: int = Field(default=0, ge=0)
    part2_started_seq: int | None = None
    replans: int = Field(default=0, ge=0)
    state_feedback: dict[str, int] = Field(default_factory=dict)
    replan_seq: int | None = None
    replan_rounds: int = Field(default=0, ge=0)
    replanned_seq: int | None = None
    goals: tuple[str, ...] = ()
    wrap_up: WrapUp | None = None
    risk: Risk = Risk()
    help_seeking: HelpSeeking = HelpSeeking()
    safety_plan: PlanTalk = PlanTalk()
    repeat_asked_seq: int | None = None
    misreads: int = Field(default=0, ge=0)
    short_answers: int = Field(default=0, ge=0)
    questions_rest_seq: int | None = None
    protocol_replies: int = Field(default=0, ge=0)
    watermarks: Watermarks = Watermarks()
    summary_sources: tuple[SourcedText, ...] = ()
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
    measures: tuple[MeasureResult, ...] = ()
    booking: BookingState = BookingState()
    agreement: AgreementState = AgreementState()

    @property
    def counted_replans(self) -> int:
        """Re-plans that count towards the bound of Part 2."""
        return self.part2_task_update_count - self.resuming_replans

    @property
    def ended(self) -> bool:
        return self.status is SessionStatus.COMPLETED

    @property
    def in_danger(self) -> bool:
        """See `ConversationState`."""
        just_asked = self.risk.asked_seq == self.seq
        return self.risk.follow_through or self.risk.attended or just_asked

    @property
    def minor(self) -> bool:
        """Whether the user is a minor, by age band or stated age."""
        return self.age_band == MINOR_BAND or self.stated_age is not None

    @property
    def under_14(self) -> bool:
        """Whether the user stated an age that needs a guardian's consent (docs/decisions/0026): no model is asked."""
        return self.stated_age is StatedAge.UNDER_14

    @property
    def unsummarized(self) -> int:
        """See `ConversationState`."""
        return max(0, self.message_count - self.watermarks.summarized)

    @property
    def keeps_words(self) -> bool:
        """See `ConversationState`; messages of users under 14 are not stored."""
        return not self.under_14

    def setting_aside(self, seq: int, *, danger: bool = False) -> Self:
        """Return the session in which the words of turn `seq` are no evidence for a task."""
        about = tuple(sorted({*self.danger_turns, seq}))[-MOST_DANGER_TURNS:] if danger else self.danger_turns
        aside = tuple(sorted({*self.set_aside, seq}))[-KEPT_ASIDE:]
        return self.model_copy(update={"set_aside": aside, "danger_turns": about})

    def task(self, task_id: str | None) -> Task | None:
        return next((task for task in self.tasks if task.id == task_id), None)

    def measured(self, measure: MeasureId, moment: Moment) -> MeasureResult | None:
        return next((one for one in self.measures if (one.measure, one.moment) == (measure, moment)), None)

    @property
    def task_in_progress(self) -> Task | None:
        """The current task while it is in progress."""
        task = self.task(self.current_task)
        return task if task is not None and task.status is TaskStatus.IN_PROGRESS else None

    @property
    def progress(self) -> float:
        """Progress, 0 to 1: each Part is a third, by its covered tasks without parked ones; an early end keeps it."""
        if self.ended and self.current_part is Part.CLOSING:
            return 1.0
        own = [task for task in self.tasks if task.part == self.current_part and not task.parked]
        done = [task for task in own if (task.sufficient_at if self.ended else task.covered)]
        covered = len(done) / len(own) if own else 0.0
        return round((self.current_part - 1 + covered) / 3, 3)
