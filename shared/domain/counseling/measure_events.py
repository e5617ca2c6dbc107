"""Measures in a session: when one may be answered, when it is offered, and the events of an answer."""

from datetime import datetime, timedelta

from shared.domain.consents import refused
from shared.domain.conversation import Role
from shared.domain.counseling.measures import MeasureId, MeasureResult, Moment
from shared.domain.counseling.session import Session
from shared.domain.event import Event

AFTER_END = timedelta(hours=24)
"""How long after the end a measure is taken: later it would describe another two weeks than the session's."""


def open_until(state: Session) -> datetime | None:
    """Return the end of the time for a measure after the session's end; None before the end."""
    return state.ended_at + AFTER_END if state.ended_at else None


def open_moment(state: Session) -> Moment | None:
    """Return the moment at which the session takes answers; None between the first message and the end."""
    if state.ended:
        return Moment.END
    return Moment.START if state.seq == 0 else None


def offered(state: Session) -> tuple[MeasureId, ...]:
    """Return the measures that the user is offered now.

    None in danger, to a user under 14, after a withdrawn consent, or after a session without a word.
    """
    moment = open_moment(state)
    if moment is None or state.in_danger or state.under_14 or refused(state.consents):
        return ()
    if moment is Moment.END and state.message_count == 0:
        return ()
    return tuple(one for one in MeasureId if state.measured(one, moment) is None)


class MeasureTaken(Event[Session]):
    """A measure was answered; a result of the same measure and moment is replaced."""

    result: MeasureResult

    def apply(self, state: Session, at: datetime) -> Session:
        others = tuple(
            one for one in state.measures if (one.measure, one.moment) != (self.result.measure, self.result.moment)
        )
        return state.model_copy(update={"measures": (*others, self.result)})


class GreetingExtended(Event[Session]):
    """Words follow the greeting before the first message; the same words are not added twice."""

    text: str

    def apply(self, state: Session, at: datetime) -> Session:
        if state.seq > 0 or not state.recent or state.recent[-1].role is not Role.COUNSELOR:
            return state
        greeting = state.recent[-1]
        if self.text in greeting.text:
            return state
        longer = greeting.model_copy(update={"text": f"{greeting.text}\n\n{self.text}"})
        return state.model_copy(update={"recent": (*state.recent[:-1], longer)})
