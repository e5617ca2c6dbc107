"""Carries out a confirmed request in the calendar."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from functions.chat.flows.booking.desk import Desk
from shared.domain.booking.appointment import KEPT_AFTER, Appointment, booking_id_of
from shared.domain.booking.readings import RequestKind
from shared.domain.booking.slots import Problem, Way
from shared.domain.booking.state import BookingRequest
from shared.domain.booking.validation import minutes_of, way_of
from shared.domain.counseling.session import Session
from shared.domain.errors import CBotError
from shared.domain.ids import ConversationId, UserId

Booked = Callable[[str], Awaitable[None]]
"""Takes the id of a session that was booked or changed, to be reminded of; a repeated call changes nothing."""
REMINDER_SECONDS = 2.0
"""How long a confirmation waits for its reminder to be scheduled."""
HOOKS = {
    RequestKind.BOOK: "booking_confirmed",
    RequestKind.CHANGE: "booking_changed",
    RequestKind.CANCEL: "booking_cancelled",
}
"""Hook of a request that was carried out."""


async def carried_out(request: BookingRequest, state: Session, desk: Desk, booked: Booked) -> Appointment | Problem:
    """Book, move or cancel; a repeated call has the same result.

    The reminder is scheduled before the turn is committed: an instance that is killed after its commit runs no hook.

    Raises:
        StoreUnavailable: It is unknown whether it was done.
    """
    appointments, seats = desk.appointments, desk.calendar.seats
    if request.kind is RequestKind.CANCEL:
        target = request.slots.target or ""
        return await appointments.cancel(state.user_id, target, desk.now) or Problem.NO_BOOKING
    made = _made(request, state.user_id, state.conversation_id, desk)
    if made is None:
        return Problem.IMPOSSIBLE_TIME
    result = await (appointments.book if request.kind is RequestKind.BOOK else appointments.move)(made, seats)
    if isinstance(result, Appointment):
        with contextlib.suppress(CBotError, TimeoutError):  # the turn's hook tries again, and logs
            async with asyncio.timeout(REMINDER_SECONDS):
                await booked(result.booking_id)
    return result


def _made(request: BookingRequest, user_id: UserId, conversation_id: ConversationId, desk: Desk) -> Appointment | None:
    """Return the appointment that a request is about; None without an instant, or a booking to change."""
    slots, calendar = request.whole, desk.calendar
    start = desk.start(request)
    changed = desk.booking(request.slots.target)
    if start is None or (request.kind is RequestKind.CHANGE and changed is None):
        return None
    minutes, way = minutes_of(slots, calendar), way_of(slots)
    return Appointment(
        booking_id=changed.booking_id if changed else booking_id_of(conversation_id, request.request_id),
        user_id=user_id,
        conversation_id=changed.conversation_id if changed else conversation_id,
        starts_at=start,
        minutes=minutes,
        way=way,
        phone_number=slots.phone_number if way is Way.PHONE else None,
        note=slots.note or "",
        cells=calendar.cells(start, minutes),
        created_at=changed.created_at if changed else desk.now,
        updated_at=desk.now,
        expire_at=start + KEPT_AFTER,
    )
