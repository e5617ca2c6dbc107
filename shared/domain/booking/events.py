"""Events of a turn about bookings."""

from datetime import datetime

from shared.domain.booking import steps
from shared.domain.booking.readings import Wish
from shared.domain.booking.slots import Problem
from shared.domain.booking.state import BookingStage, BookingState
from shared.domain.counseling.session import Session
from shared.domain.event import Event


class BookingUpdated(Event[Session]):
    """Requests were heard, slots filled, something asked or listed. It never confirms or executes."""

    booking: BookingState

    def apply(self, state: Session, at: datetime) -> Session:
        stage = self.booking.stage
        forbidden = stage is BookingStage.CONFIRMED or (
            stage is BookingStage.EXECUTED and state.booking.stage is not BookingStage.EXECUTED
        )
        return state if forbidden else _with(state, self.booking)


class BookingConfirmed(Event[Session]):
    """The user confirmed the ready request."""

    request_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        return _with(state, steps.confirmed(state.booking)) if _is(state, self.request_id) else state


class BookingExecuted(Event[Session]):
    """The confirmed request stands in the calendar."""

    request_id: str
    booking_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        done = steps.executed(state.booking, self.booking_id)
        return _with(state, done) if _is(state, self.request_id) else state


class BookingRejected(Event[Session]):
    """The calendar refused the confirmed request."""

    request_id: str
    problem: Problem

    def apply(self, state: Session, at: datetime) -> Session:
        return _with(state, steps.rejected(state.booking, self.problem)) if _is(state, self.request_id) else state


class WishKept(Event[Session]):
    """The user wished for a booking beside something else, which was heard first; None: they declined it."""

    wish: Wish | None

    def apply(self, state: Session, at: datetime) -> Session:
        return _with(state, state.booking.model_copy(update={"wish": self.wish}))


class WishOffered(Event[Session]):
    """The reply offered to go on with the kept wish."""

    seq: int
    asked: bool

    def apply(self, state: Session, at: datetime) -> Session:
        wish = state.booking.wish
        if wish is None:
            return state
        offered = wish.model_copy(update={"offered_seq": self.seq, "asked": self.asked})
        return _with(state, state.booking.model_copy(update={"wish": offered}))


def _is(state: Session, request_id: str) -> bool:
    request = state.booking.request
    return request is not None and request.request_id == request_id


def _with(state: Session, booking: BookingState) -> Session:
    return state if booking == state.booking else state.model_copy(update={"booking": booking})
