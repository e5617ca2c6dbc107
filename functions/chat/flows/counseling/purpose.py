"""Decides what a reply is for: its stance, the danger that it heeds, and why it asks whether to end. Rules only."""

from dataclasses import dataclass, replace

from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors import user_state
from functions.chat.flows.counseling.stop_wish import stop_wish_due
from functions.chat.flows.counseling.wrap_up import answers_a_proposal
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.directive import EndCause, Heed, Stance
from shared.domain.counseling.lifecycle import agreed_to_close, plan_covered_unseen
from shared.domain.counseling.review import time_to_ask_for_the_end, time_to_offer_rest, time_to_propose
from shared.domain.counseling.risk_events import RiskRaised, RiskWatched
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.safety_plan_events import SafetyPlanBegun
from shared.domain.counseling.session import PlanStatus, Session, WrapUpAim
from shared.domain.counseling.task import Part, Task, part_covered
from shared.engine.flow import Turn
from shared.lexicon.words import Answer, Words
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.protocol_questions import Topic

_HEEDED = {
    CrisisOutcome.THIRD_PARTY: Heed.HELPER,
    CrisisOutcome.THIRD_PARTY_NOW: Heed.HELPER,
    CrisisOutcome.HARM_TO_OTHERS: Heed.HARM_TO_OTHERS,
    CrisisOutcome.ABUSE: Heed.ABUSE,
    CrisisOutcome.ABUSE_NOW: Heed.ABUSE,
}


@dataclass(frozen=True)
class Purpose:
    """What a reply is for.

    Attributes:
        stance: Its purpose.
        task: The task that it works on, if any.
        concern: It asks directly about a danger, alone.
        heed: A further safety finding.
        end_cause: Why it asks whether to end.
        begun: The user has just begun a safety plan, which ends the rest after a danger.
    """

    stance: Stance
    task: Task | None = None
    concern: bool = False
    heed: Heed | None = None
    end_cause: EndCause | None = None
    begun: bool = False

    @property
    def proposes(self) -> WrapUpAim | None:
        """What the reply asks the user to agree to."""
        if self.stance is Stance.CONFIRM_END:
            return WrapUpAim.END
        return WrapUpAim.WRAP_UP if self.stance is Stance.PROPOSE_WRAP_UP else None

    @property
    def safety_first(self) -> bool:
        """Whether a danger is what the reply is about."""
        return self.concern or self.heed is not None

    def letting_lead(self) -> "Purpose":
        """Return the purpose of a reply that puts the task aside."""
        return replace(self, stance=Stance.ACCOMPANY, task=None)


def purpose_of(turn: Turn[Session], message: UserMessage, state: Session, found: Findings, content: Content) -> Purpose:
    """Return what the reply of this turn is for."""
    raised = state.risk.last_seq == turn.seq and not _cleared_up(turn, message)
    to_ask = raised or _evaded(turn, message, found, content)
    concern = to_ask and state.risk.level is RiskLevel.CONCERN
    end_cause = _end_cause(turn, message, state, found)
    begun = state.safety_plan.stage is PlanStage.BUILDING and bool(found.of(SafetyPlanBegun))
    may_be_near = state.risk.outcome is CrisisOutcome.CONCERN or message.answers_if_urgent
    unread = turn.scope.ledger.failed(user_state.AGENT) and may_be_near
    cares = state.risk.follow_through or (unread and not concern and end_cause is not EndCause.ASKED)
    stance = Stance.CARE if cares else _stance(state, turn.seq, end_cause, concern=concern)
    if begun and stance is Stance.ACCOMPANY:
        stance = Stance.WORK
    return Purpose(
        stance=stance,
        task=state.task_in_progress if stance is Stance.WORK else None,
        concern=concern,
        heed=_heed(state, found, concern=concern),
        end_cause=end_cause if stance is Stance.CONFIRM_END else None,
        begun=begun,
    )


def _stance(state: Session, seq: int, end_cause: EndCause | None, *, concern: bool) -> Stance:
    """Return what the reply is for. A question about danger is asked alone, so that a "yes" is unambiguous."""
    if concern:
        return Stance.WORK if state.task_in_progress is not None else Stance.ACCOMPANY
    if end_cause is not None:
        return Stance.CONFIRM_END
    if state.risk.attended or state.risk.just_over(seq):
        return Stance.ACCOMPANY
    if state.plan_status is PlanStatus.PLANNING or (agreed_to_close(state) and state.current_part is not Part.CLOSING):
        return Stance.BRIDGE
    if time_to_propose(state, seq):
        return Stance.PROPOSE_WRAP_UP
    if state.task_in_progress is not None:
        return Stance.WORK
    return Stance.GATHER if plan_covered_unseen(state) else Stance.ACCOMPANY


def _cleared_up(turn: Turn[Session], message: UserMessage) -> bool:
    """Return whether the user says no to a wish to die unasked: they are not asked for it in the very next words.

    The concern stands, so that the farewell and the staff know of it.
    """
    calm = turn.state.risk.level is RiskLevel.NONE
    return calm and message.answers and message.denies_wish_to_die


def _evaded(turn: Turn[Session], message: UserMessage, found: Findings, content: Content) -> bool:
    """Return whether the message evades the direct question of the last reply; it is asked once more only.

    Every message evades it that says no word about it and does not refuse; a yes is a crisis and is not heard here.
    """
    risk, words, said = turn.state.risk, message.words, message.screened
    asked = risk.outcome is CrisisOutcome.CONCERN and risk.last_seq == risk.asked_seq == turn.state.seq
    denies = content.crisis_answers.denies(said)
    says_no = denies and not words.hesitates and (words.answer is Answer.CANCEL or not words.is_backchannel)
    explains = content.help_seeking.speaks_to(Topic.INTENT, said.readings) and not words.hesitates
    refuses = message.refuses or words.asks_to_end or content.help_seeking.refuses_answer(said.readings)
    answered = says_no or explains or refuses or any(event.said for event in found.of(RiskWatched))
    return asked and message.answers and not answered


def _heed(state: Session, found: Findings, *, concern: bool) -> Heed | None:
    """Return a risk other than the danger to the user's life; None while that must be asked about."""
    risk = state.risk
    if concern:
        return None
    if (risk.follow_through or risk.attended) and risk.outcome in _HEEDED:
        return _HEEDED[risk.outcome]
    told = any(event.outcome is CrisisOutcome.ABUSE_TOLD for event in found.of(RiskRaised))
    return Heed.ABUSE_TOLD if told else None


def _end_cause(turn: Turn[Session], message: UserMessage, state: Session, found: Findings) -> EndCause | None:
    """Return why to ask whether the user wants to end; the user's own wish goes first, also one that had to wait.

    An answer to a proposal ("네, 그만할게요") is no new wish to end.
    """
    if not answers_a_proposal(found):
        if _asks_to_end(message.words, state) or stop_wish_due(turn, message, state):
            return EndCause.ASKED
        if time_to_offer_rest(state, turn.seq):
            return EndCause.SHORT_ANSWERS
    if not time_to_ask_for_the_end(state, turn.seq):
        return None
    covered = state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)
    return EndCause.COVERED if covered else EndCause.ASKED


def _asks_to_end(words: Words, state: Session) -> bool:
    covered = state.current_part is Part.CLOSING and part_covered(state.tasks, Part.CLOSING)
    return words.asks_to_end or (covered and words.says_task_done)
