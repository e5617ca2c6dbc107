"""Events about danger and stated ages."""

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
    """A crisis rule or the model's risk detection raised the level. It is never lowered here.

    Findings that need the protocol also flag the session for reviewers.

    Attributes:
        outcome: The most pressing one.
        needs: Needs beyond those of its outcomes.
        kinds: Kinds of violence.
        outcomes: All outcomes of the finding.
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
    """A reply asked whether the user wants to die, so that "yes" in the next message is an answer to that."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": asked(state.risk, self.seq)})


class AgeStated(Event[Session]):
    """The user stated their age."""

    age: StatedAge

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"stated_age": believed(state.stated_age, self.age)})


class WordsNotKept(Event[Session]):
    """Only the rules read a message, and its text is not stored."""

    digest: str

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"unkept": self.digest})


class RiskWatched(Event[Session]):
    """A turn without a new finding; after two reassurances the follow-up ends."""

    said: tuple[Reassurance, ...] = ()

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": observe_turn(state.risk, self.said)})


class RiskReviewed(Event[Session]):
    """A reviewer looked at the conversation; the follow-up ends, except for later findings.

    Attributes:
        reviewer: Stored in the audit trail only.
        seq: The newest turn that the reviewer saw.
    """

    reviewer: str
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"risk": reviewed(state.risk, self.seq)})


class ProtocolReplied(Event[Session]):
    """The crisis protocol replied; its next reply uses another wording."""

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"protocol_replies": state.protocol_replies + 1})
