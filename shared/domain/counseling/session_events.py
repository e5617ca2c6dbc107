"""Events of a turn about the user's state, the Part and the ending."""

from datetime import datetime

from shared.domain.counseling.lifecycle import (
    agreed_to_close,
    leaving_for_closing,
    may_become,
    may_turn,
    part_before_closing,
)
from shared.domain.counseling.readings import StateReading, keep
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import flag
from shared.domain.counseling.task import Part, Task, TaskStatus, follows_into, left_unfinished
from shared.domain.counseling.task_events import TaskStarted, change_tasks
from shared.domain.counseling.user_state import UserState
from shared.domain.event import Event
from shared.safety.follow_through import corrected, doubted, supported
from shared.safety.levels import RiskLevel


class UserStateObserved(Event[Session]):
    """A reading of the user's state, merged with the rules' findings and compared with earlier readings.

    Attributes:
        seq: The turn; None for a mere sound, which is not compared with other readings.
        denies_danger: A model read in words of the message that the user does not want to die or hurt themselves.
        unread: No model could read the message.
    """

    user_state: UserState
    seq: int | None = None
    denies_danger: bool = False
    unread: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        risk, level = state.risk, self.user_state.risk
        if level is not RiskLevel.NONE:
            risk = doubted(risk, self.seq or 0) if level is RiskLevel.CONCERN else supported(risk)
        observed = state.model_copy(update={"user_state": self.user_state, "risk": risk})
        if self.seq is None:
            return observed
        readings = keep(state.readings, StateReading.of(self.user_state, self.seq, unread=self.unread))
        observed = observed.model_copy(update={"readings": readings})
        return observed.setting_aside(self.seq) if self.user_state.circular else observed


class MisreadTold(Event[Session]):
    """The user says that the last reply misread them.

    Attributes:
        of_a_work: Their words were about a game, a film or a song; a mere denial of danger takes back less.
    """

    seq: int
    of_a_work: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        risk = corrected(state.risk) if self.of_a_work else state.risk
        return state.model_copy(update={"misreads": state.misreads + 1, "risk": risk})


class QuestionsRest(Event[Session]):
    """The user had enough of questions: for some turns nothing is asked."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"questions_rest_seq": self.seq})


class PartCompleted(Event[Session]):
    """A Part is complete; its transition document triggers the planner."""

    part: Part

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part != self.part or self.part is not Part.OPENING:
            return state
        if state.plan_status is not PlanStatus.NONE:
            return state
        return state.model_copy(update={"plan_status": PlanStatus.PLANNING, "planning_seq": state.seq})


class ClosingAsked(Event[Session]):
    """The transition to the closing was asked for; it stays due until it is carried out."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part is Part.CLOSING or state.leaving_seq is not None:
            return state
        return state.model_copy(update={"leaving_seq": state.seq})


class PartAnnounced(Event[Session]):
    """The reply introduced a Part."""

    part: Part

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"announced_part": self.part})


class RepeatAsked(Event[Session]):
    """The reply asked the user to repeat a message that was not understood or could not be answered."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"repeat_asked_seq": self.seq})


class WrapUpProposed(Event[Session]):
    """The reply asked the user whether to close; with a `choice`, whether to close or to stay."""

    aim: WrapUpAim
    seq: int
    choice: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended:
            return state
        before = state.wrap_up
        proposal = WrapUp(
            stage=WrapUpStage.PROPOSED,
            aim=self.aim,
            reason=before.reason if before else "",
            seq=self.seq,
            declined=before.declined if before else 0,
            unclear=before.unclear if before else 0,
            choice=self.choice,
        )
        return state.model_copy(update={"wrap_up": proposal, "stop_wished_seq": None})


class StopWished(Event[Session]):
    """The user wished to stop in a message that another service answers; asked about as soon as nothing goes first.

    None takes it back.
    """

    seq: int | None

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"stop_wished_seq": self.seq})


class WrapUpUnclear(Event[Session]):
    """The answer to a proposal was unclear; the question is asked again in a later turn."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        if state.wrap_up is None or state.wrap_up.stage is not WrapUpStage.PROPOSED or state.ended:
            return state
        unclear = state.wrap_up.unclear + 1
        open_still = {"stage": WrapUpStage.SUGGESTED, "seq": self.seq, "unclear": unclear}
        return state.model_copy(update={"wrap_up": state.wrap_up.model_copy(update=open_still)})


class WrapUpAgreed(Event[Session]):
    """The user agreed to move on to the closing."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.wrap_up is None or not may_turn(state, SessionStatus.WRAPPING_UP):
            return state
        agreed = state.wrap_up.model_copy(update={"stage": WrapUpStage.AGREED})
        return state.model_copy(update={"wrap_up": agreed, "status": SessionStatus.WRAPPING_UP})


class WrapUpDeclined(Event[Session]):
    """The user wants to go on."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.wrap_up is None or state.ended:
            return state
        declined = state.wrap_up.model_copy(
            update={"stage": WrapUpStage.DECLINED, "declined": state.wrap_up.declined + 1, "unclear": 0}
        )
        return state.model_copy(update={"wrap_up": declined, "status": SessionStatus.ACTIVE})


class WrapUpPassed(Event[Session]):
    """The user chose neither to close nor to go on: nothing is proposed for a while, and all else stays as it is."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.wrap_up is None or state.ended:
            return state
        passed = state.wrap_up.model_copy(update={"stage": WrapUpStage.DECLINED, "unclear": 0})
        return state.model_copy(update={"wrap_up": passed})


class WentBack(Event[Session]):
    """The user wants to go on: a closing that was begun or asked for is undone.

    Tasks of the Part before get their previous status, those of the closing wait. Nothing is proposed for a while.
    """

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or not (state.current_part is Part.CLOSING or leaving_for_closing(state)):
            return state
        part = part_before_closing(state)

        def as_before(task: Task) -> Task:
            if task.part is part and task.status is TaskStatus.COMPLETED and not left_unfinished(task):
                status = TaskStatus.SUFFICIENT if task.sufficient_at else TaskStatus.PENDING
                return task.model_copy(update={"status": status, "completed_at": None})
            if task.part is not part and task.status is TaskStatus.IN_PROGRESS:
                task = task.model_copy(update={"status": TaskStatus.PENDING})
            return task if task.part is part else follows_into(task, part)

        before = state.wrap_up or WrapUp(stage=WrapUpStage.SUGGESTED)
        counted = before.declined + (before.stage is not WrapUpStage.DECLINED)
        refused = {
            "stage": WrapUpStage.DECLINED,
            "aim": WrapUpAim.WRAP_UP,
            "seq": self.seq,
            "declined": counted,
            "unclear": 0,
        }
        back = {"current_task": None} if state.current_part is Part.CLOSING else {}
        return change_tasks(state, as_before).model_copy(
            update={
                "current_part": part,
                "announced_part": part,
                "status": SessionStatus.ACTIVE,
                "wrap_up": before.model_copy(update=refused),
                "leaving_seq": None,
                "went_back": state.went_back + 1,
                **back,
            }
        )


class MoreWanted(Event[Session]):
    """The user wants to go on although no task of Part 2 waits, or with another topic.

    Attributes:
        task: The task for it; added once and restarted whenever the user wants more again. The bounds of Part 2 hold.
    """

    task: Task

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended or state.current_part is not Part.EXPLORATION or self.task.part is not Part.EXPLORATION:
            return state
        if state.task(self.task.id) is None:
            state = state.model_copy(update={"tasks": (*state.tasks, self.task)})
        anew = self.task.id
        state = change_tasks(state, lambda one: one.model_copy(update={"returns": 0}) if one.id == anew else one)
        return TaskStarted(task_id=self.task.id).apply(state, at)


class SessionClosed(Event[Session]):
    """The user ended the session; a plan in preparation is no longer needed."""

    def apply(self, state: Session, at: datetime) -> Session:
        if state.ended:
            return state

        def close(task: Task) -> Task:
            if not may_become(task, TaskStatus.COMPLETED):
                return task
            return task.model_copy(update={"status": TaskStatus.COMPLETED, "completed_at": task.completed_at or at})

        planned = PlanStatus.NONE if state.plan_status is PlanStatus.PLANNING else state.plan_status
        return change_tasks(state, close).model_copy(
            update={
                "status": SessionStatus.COMPLETED,
                "plan_status": planned,
                "current_task": None,
                "ended_at": at,
                "wrap_up": state.wrap_up if agreed_to_close(state) else None,
            }
        )


class AiNoticeGiven(Event[Session]):
    """The reply stated that it comes from an AI."""

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"notified_at": max(at, state.notified_at or at)})


class ReplyDegraded(Event[Session]):
    """No model replied and an apology was sent."""

    def apply(self, state: Session, at: datetime) -> Session:
        degraded = state.model_copy(update={"degraded_replies": state.degraded_replies + 1})
        return flag(degraded, FlagReason.DEGRADED, state.seq, at)


class Rated(Event[Session]):
    """The user rated an ended session, 1 to 5; a new rating replaces the old one, words alone leave it."""

    rating: int | None

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"satisfaction": self.rating or state.satisfaction})


class ReplanAsked(Event[Session]):
    """Feedback asks for a re-plan; the planner answers all waiting feedback at once."""

    def apply(self, state: Session, at: datetime) -> Session:
        since = state.replan_seq if state.replans and state.replan_seq is not None else state.seq
        return state.model_copy(update={"replans": state.replans + 1, "replan_seq": since})


class StateFeedbackGiven(Event[Session]):
    """Feedback about the user's state was given; the same kind rests for a while. Written with a `ReplanAsked`."""

    kind: str
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        newest = max(self.seq, state.state_feedback.get(self.kind, 0))
        return state.model_copy(update={"state_feedback": {**state.state_feedback, self.kind: newest}})
