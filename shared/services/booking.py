"""The views of bookings for clients."""

from shared.content.booking import BookingVoice
from shared.contracts.booking import BookingCard, BookingSlotsView, BookingView, SlotProblem
from shared.domain.booking.appointment import Appointment
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.slots import BookingSlots
from shared.domain.booking.state import BookingState, missing
from shared.domain.booking.validation import minutes_of, way_of


def card_of(state: BookingState, voice: BookingVoice) -> BookingCard:
    """Return the card of the request in work, or of the last one of the batch."""
    last = state.finished[-1] if state.finished else None
    done = None if state.request is not None else last
    request = state.request or (last.request if last else None)
    return BookingCard(
        stage=state.stage,
        kind=request.kind if request else None,
        slots=_slots(request.whole, voice.calendar) if request else None,
        before=_slots(request.base, voice.calendar) if request and request.base else None,
        missing=missing(request) if request and state.stage.open else (),
        slot_errors=tuple(
            SlotProblem(slot=slot, code=problem.value, text=voice.problem(problem, state.refused_day))
            for slot, problem in state.slot_errors.items()
        ),
        batch_total=state.batch_total,
        batch_progress=state.batch_progress,
        booking_id=done.booking_id if done else None,
        zone=state.zone or voice.calendar.zone,
    )


def view_of(appointment: Appointment) -> BookingView:
    """Return a booked session for its user."""
    return BookingView(
        booking_id=appointment.booking_id,
        starts_at=appointment.starts_at,
        ends_at=appointment.ends_at,
        length_minutes=appointment.minutes,
        way=appointment.way,
        phone_number=appointment.phone_number,
        note=appointment.note,
        status=appointment.status,
    )


def _slots(slots: BookingSlots, calendar: Calendar) -> BookingSlotsView:
    return BookingSlotsView(
        date=slots.date,
        time=slots.time,
        length_minutes=minutes_of(slots, calendar),
        way=way_of(slots),
        phone_number=slots.phone_number,
        note=slots.note,
    )
