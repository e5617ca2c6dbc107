"""Events about danger and stated ages."""

from datetime import datetime

from pydantic import Field

from shared.domain.booking.state import BookingState
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import flag
from shared.domain.event import Event
from shared.safety.abuse import AbuseKind
from shared.safety.ages import StatedAge, believed
from shared.safety.crisis import Finding
from shared.safety.follow_through import (
    Risk,
    asked,
    denied,
    doubted,
    escalate,
    observe_turn,
    reviewed,
    supported,
    took_back,
)
from shared.safety.help_seeking import Circumstance, waits_for_questions
from shared.safety.levels import CrisisOutcome, Danger, RiskLevel, risk_level
from shared.safety.needs import Need
from shared.safety.reassurance import Reassurance, dangers


class RiskRaised(Event[Session]):
    """A crisis rule or the model's risk detection raised the level. It is never lowered here.

    Findings that need the protocol also flag the session for reviewers.

    Attributes:
        outcome: The most pressing one.
        needs: Needs beyond those of its outcomes.
        kinds: Kinds of violence.
        outcomes: All outcomes of the finding.
        taken_back: The message takes its threat to another person back.
        by_words: A rule found no more than a wish to die, in the words of this message alone, which no model has read;
            or a model found a concern, which `UserStateObserved` keeps. In a follow-through it is no longer alone.
    """

    outcome: CrisisOutcome
    rule_ids: tuple[str, ...]
    seq: int
    needs: tuple[Need, ...] = ()
    kinds: tuple[AbuseKind, ...] = ()
    outcomes: frozenset[CrisisOutcome] = frozenset()
    taken_back: bool = False
    by_words: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        finding = Finding(outcome=self.outcome, outcomes=self.outcomes, rule_ids=self.rule_ids)
        risk = escalate(state.risk, finding, self.seq, self.needs, self.kinds, taken_back=self.taken_back)
        again = state.risk.follow_through and state.risk.last_seq != self.seq and self.outcome.needs_protocol
        alone = self.by_words and not again
        raised = state.model_copy(update={"risk": risk if alone else supported(risk)})
        if risk_level(self.outcome) is not RiskLevel.NONE:
            raised = raised.setting_aside(self.seq)
        if not self.outcome.needs_protocol:
            return raised
        return flag(raised, reason_of(self.outcome), self.seq, at, self.rule_ids)


class DangerAsked(Event[Session]):
    """A reply asked whether the user wants to die, so that "yes" in the next message is an answer to that."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": asked(state.risk, self.seq)})


class WishNotDenied(Event[Session]):
    """The direct question was answered, and not by a denial: what a rule found is no false alarm."""

    seq: int = Field(ge=1)

    def apply(self, state: Session, at: datetime) -> Session:
        risk = state.risk
        return state.model_copy(update={"risk": supported(risk) if risk.follow_through else doubted(risk, self.seq)})


class AgeStated(Event[Session]):
    """The user stated their age."""

    age: StatedAge

    def apply(self, state: Session, at: datetime) -> Session:
        aged = state.model_copy(update={"stated_age": believed(state.stated_age, self.age)})
        # Without a guardian's consent no session is booked: what was being booked is dropped.
        return aged.model_copy(update={"booking": BookingState(zone=state.booking.zone)}) if aged.under_14 else aged


class WordsNotKept(Event[Session]):
    """Only the rules read a message, and its text is not stored."""

    digest: str

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"unkept": self.digest})


class RiskWatched(Event[Session]):
    """A turn without a new finding; after two reassurances the follow-up ends, if no question of it is open.

    Attributes:
        denied: The user says no to a question about the plan or the means.
        taken_back: The user takes a threat to another person back, asked for it.
    """

    said: tuple[Reassurance, ...] = ()
    seq: int = Field(ge=1)
    denied: bool = False
    taken_back: bool = False

    def apply(self, state: Session, at: datetime) -> Session:
        still_open = not state.risk.corrected and waits_for_questions(state.help_seeking, state.risk, self.seq)
        feared = Circumstance.FEARS_HOME in state.help_seeking.circumstances
        before = took_back(state.risk) if self.taken_back else state.risk
        risk = observe_turn(before, self.said, denied=self.denied, questions_open=still_open, fears_home=feared)
        return _with_risk(state, risk, self.seq)


class DenialBelieved(Event[Session]):
    """The user plainly denied what a rule alone had found: the questions end, and no safety plan is due for it.

    It changes nothing if something else has told of danger meanwhile.
    """

    seq: int = Field(ge=1)

    def apply(self, state: Session, at: datetime) -> Session:
        if not state.risk.deniable:
            return state
        ended = denied(state.risk).model_copy(update={"over_seq": self.seq})
        return state.model_copy(update={"risk": ended})


class RiskReviewed(Event[Session]):
    """A reviewer looked at the conversation; the follow-up ends, except for later findings.

    Attributes:
        reviewer: Stored in the audit trail only.
        seq: The newest turn that the reviewer saw.
    """

    reviewer: str
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return _with_risk(state, reviewed(state.risk, self.seq), state.seq)


class ProtocolReplied(Event[Session]):
    """The crisis protocol replied; its next reply uses another wording."""

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"protocol_replies": state.protocol_replies + 1})


def _with_risk(state: Session, risk: Risk, seq: int) -> Session:
    """Return the session with the risk; one that ends now ends in turn `seq`, and a safety plan may be due."""
    over = state.risk.level is not RiskLevel.NONE and risk.level is RiskLevel.NONE
    own_life = state.risk.follow_through and Danger.OWN_LIFE in dangers(state.risk.found)
    plan = state.safety_plan.with_danger_over() if over and own_life else state.safety_plan
    ended = risk.model_copy(update={"over_seq": seq}) if over else risk
    return state.model_copy(update={"risk": ended, "safety_plan": plan})
