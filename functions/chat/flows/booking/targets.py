"""Which of the user's bookings a request to change or cancel means."""

from collections.abc import Sequence

from functions.chat.flows.booking.desk import Desk
from shared.domain.booking import steps
from shared.domain.booking.appointment import Appointment
from shared.domain.booking.readings import Reading, ReadRequest, RequestKind, listed_at
from shared.domain.booking.slots import BookingSlots, Problem, SlotName
from shared.domain.booking.state import BookingRequest, BookingState


def begun(state: BookingState, reading: Reading, kind: RequestKind, seq: int, desk: Desk) -> BookingState:
    """Return the state with requests to change or cancel bookings, aimed as far as the message tells."""
    if kind is RequestKind.CANCEL:
        meant = _meant(reading, reading.requests, state, desk)
        if reading.all:
            meant = list(desk.bookings)
        if len(meant) > 1 and not reading.all and len(meant) < len(reading.requests):
            meant = []
        requests = [_cancelling(one, seq, index, desk) for index, one in enumerate(meant)]
        if requests and (reading.all or len(meant) == 1 or len(meant) == len(reading.requests)):
            return steps.begun(state, requests)
        return _unaimed(steps.begun(state, steps.new_requests(kind, [ReadRequest()], seq)), desk)
    return _change_begun(state, reading, seq, desk)


def aimed(state: BookingState, reading: Reading, desk: Desk) -> BookingState:
    """Return the state after an answer to the question which booking is meant."""
    meant = _meant(reading, reading.requests, state, desk)
    return _aimed(state, meant[0], desk) if len(meant) == 1 else _unaimed(state, desk)


def _change_begun(state: BookingState, reading: Reading, seq: int, desk: Desk) -> BookingState:
    first, *others = reading.requests
    just_made = desk.booking(state.executed)
    if just_made and reading.number is None and (reading.kind is None or not _at(first, desk)):
        request = steps.new_requests(RequestKind.CHANGE, [ReadRequest()], seq)
        begun_ = steps.filled(steps.begun(state, request), first)
        return steps.shifted(_aimed(begun_, just_made, desk), reading.shift)
    by_number = _numbered(reading, state, desk)
    named = [by_number] if by_number else _at(first, desk)
    told = others[0] if others and named else first
    if not others and named and not by_number:
        # "수요일 예약을 4시로": the day names the booking, what else was said is new.
        told = first.model_copy(update={"slots": first.slots.without(SlotName.DATE)})
    if not named and len(desk.bookings) == 1:
        named = list(desk.bookings)
    request = steps.new_requests(RequestKind.CHANGE, [ReadRequest()], seq)
    begun_ = steps.filled(steps.begun(state, request), told)
    return steps.shifted(_aimed(begun_, named[0], desk), reading.shift) if len(named) == 1 else _unaimed(begun_, desk)


def _meant(reading: Reading, requests: Sequence[ReadRequest], state: BookingState, desk: Desk) -> list[Appointment]:
    """Return the bookings that a message names by number, by day or by being the only one."""
    if (numbered := _numbered(reading, state, desk)) is not None:
        return [numbered]
    found = [one for request in requests for one in _at(request, desk)]
    named = any(request.slots.date or request.slots.time for request in requests)
    if not named and len(desk.bookings) == 1:
        return list(desk.bookings)
    return list(dict.fromkeys(found))


def _numbered(reading: Reading, state: BookingState, desk: Desk) -> Appointment | None:
    if reading.number is None:
        return None
    listed = state.listed or tuple(one.booking_id for one in desk.bookings)
    return desk.booking(listed_at(listed, reading.number))


def _at(read: ReadRequest, desk: Desk) -> list[Appointment]:
    """Return the bookings on a day, or on one of the days that may be meant; of two, that at the time named too."""
    slots = [(one, one.slots(desk.zone)) for one in desk.bookings]
    if read.slots.date is None and read.slots.time is None:
        return [one for one, at in slots if at.date in read.days]
    on_day = [(one, at) for one, at in slots if read.slots.date in (None, at.date)]
    at_time = [one for one, at in on_day if read.slots.time == at.time]
    if at_time or read.slots.date is None:
        return at_time
    return [one for one, _ in on_day]


def _cancelling(booking: Appointment, seq: int, index: int, desk: Desk) -> BookingRequest:
    base = booking.slots(desk.zone)
    slots = ReadRequest().slots.model_copy(update={"target": booking.booking_id})
    return BookingRequest(request_id=f"{seq}-{index}", kind=RequestKind.CANCEL, slots=slots, base=base)


def _aimed(state: BookingState, booking: Appointment, desk: Desk) -> BookingState:
    return steps.aimed(state, booking.booking_id, booking.slots(desk.zone))


def _unaimed(state: BookingState, desk: Desk) -> BookingState:
    """Return the state with the reason why no booking is meant, and the numbers that can be named."""
    problem = Problem.WHICH_BOOKING if desk.bookings else Problem.NO_BOOKING
    listed = tuple(one.booking_id for one in desk.bookings)
    return state.model_copy(update={"slot_errors": {**state.slot_errors, SlotName.TARGET: problem}, "listed": listed})


def to_move(state: BookingState, desk: Desk) -> BookingSlots | None:
    """Return the values of the booking to be moved: of the request, of the one just made, or the only one."""
    if state.request is not None:
        return state.request.base if state.request.kind is RequestKind.CHANGE else None
    only = desk.bookings[0] if len(desk.bookings) == 1 else None
    held = desk.booking(state.executed) or only
    return held.slots(desk.zone) if held else None
