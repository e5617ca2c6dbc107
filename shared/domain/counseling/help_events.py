"""Events about a user's way to help."""

from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.event import Event
from shared.safety.demands import Demand
from shared.safety.help_seeking import Barrier, Circumstance, Inquiry, Step
from shared.safety.protocol_questions import Topic


class CircumstancesTold(Event[Session]):
    """The user told of their situation, such as being in treatment, or alone."""

    told: tuple[Circumstance, ...]

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"help_seeking": state.help_seeking.told(self.told)})


class HelpTakenUp(Event[Session]):
    """The user called, told or went to somebody, or will."""

    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"help_seeking": state.help_seeking.model_copy(update={"taken_up": self.seq})})


class SafetyInquired(Event[Session]):
    """A reply to a user in danger asked these questions.

    Attributes:
        alone: The one that it asked alone, in fixed words.
    """

    about: tuple[Inquiry, ...]
    seq: int
    alone: Inquiry | None = None

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(
            update={"help_seeking": state.help_seeking.after_asking(self.about, self.seq, self.alone)}
        )


class SafetyGaveWay(Event[Session]):
    """A reply to a user in danger did not ask these questions, since the model's words asked about safety."""

    about: tuple[Inquiry, ...]
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        known = state.help_seeking.after_giving_way(self.about, self.seq, state.risk.since_seq or 0)
        return state.model_copy(update={"help_seeking": known})


class SafetyHeldBack(Event[Session]):
    """A reply to a user in danger did not ask what was due, since the model's words asked about something else.

    Attributes:
        seq: The turn; None for a reply that asked about safety, or nothing: it is held back no longer.
    """

    seq: int | None

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"help_seeking": state.help_seeking.after_holding_back(self.seq)})


class DangerTold(Event[Session]):
    """The user told what the protocol or a question after it would ask, such as the means or the place."""

    about: tuple[Topic, ...]
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"help_seeking": state.help_seeking.after_telling(self.about, self.seq)})


class BarriersAnswered(Event[Session]):
    """A reply answered what keeps the user from help."""

    barriers: tuple[Barrier, ...]

    def apply(self, state: Session, at: datetime) -> Session:
        known = state.help_seeking
        answered = tuple(dict.fromkeys((*known.barriers, *self.barriers)))
        return state.model_copy(update={"help_seeking": known.model_copy(update={"barriers": answered})})


class LimitsTold(Event[Session]):
    """A reply to a user in danger said what the AI is not or cannot do, as they had asked it of it."""

    demands: tuple[Demand, ...]
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"help_seeking": state.help_seeking.after_limits(self.demands, self.seq)})


class StepNamed(Event[Session]):
    """A reply to a user in danger named this next step."""

    step: Step
    seq: int

    def apply(self, state: Session, at: datetime) -> Session:
        return state.model_copy(update={"help_seeking": state.help_seeking.after_step(self.step, self.seq)})
