"""What is found, asked and heard of danger, and of an age that changes how it is answered."""

from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import flag
from shared.domain.event import Event
from shared.safety.abuse import AbuseKind
from shared.safety.ages import StatedAge, believed
from shared.safety.crisis import Finding
from shared.safety.follow_through import asked, escalate, observe_turn, reviewed
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need
from shared.safety.reassurance import Reassurance


class RiskRaised(Event[Session]):
    """A crisis rule or the model's second opinion spoke. The level never goes down here.

    What the protocol must answer is for a reviewer to see, too; a bare concern is asked about in the conversation.

    Attributes:
        outcome: The most pressing one.
        needs: What it calls for beside what its outcomes do.
        kinds: The violence that it tells of.
        outcomes: All that was found with it.
    """

    outcome: CrisisOutcome
    rule_ids: tuple[str, ...]
    seq: int
    needs: tuple[Need, ...] = ()
    kinds: tuple[AbuseKind, ...] = ()
    outcomes: frozenset[CrisisOutcome] = frozenset()

    def apply(self, state: Session, at: datetime) -> Session:
        finding = Finding(outcome=self.outcome, outcomes=self.outcomes, rule_ids=self.rule_ids)
        raised = state.model_copy(update={"risk": escalate(state.risk, finding, self.seq, self.needs, self.kinds)})
        if not self.outcome.needs_protocol:
            return raised
        return flag(raised, reason_of(self.outcome), self.seq, at, self.rule_ids)


class DangerAsked(Event[Session]):
    """The reply of a turn asked whether the user wants to die: a plain "yes" in the next is an answer to that."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": asked(state.risk, self.seq)})


class AgeStated(Event[Session]):
    """The user stated their age in the talk."""

    age: StatedAge

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"stated_age": believed(state.stated_age, self.age)})


class WordsNotKept(Event[Session]):
    """A message was read by the rules alone, and its words are not kept."""

    digest: str

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"unkept": self.digest})


class RiskWatched(Event[Session]):
    """A turn without a new finding; said twice to be safe, the user is let out of the follow-through."""

    said: tuple[Reassurance, ...] = ()

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": observe_turn(state.risk, self.said)})


class RiskReviewed(Event[Session]):
    """A person of the staff looked at the conversation; the follow-through is left, but for what was found later.

    Attributes:
        reviewer: Who looked; kept in the audit trail, not in the session.
        seq: The newest turn that they saw.
    """

    reviewer: str
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": reviewed(state.risk, self.seq)})


class ProtocolReplied(Event[Session]):
    """The crisis protocol answered; the next one takes another wording."""

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"protocol_replies": state.protocol_replies + 1})
