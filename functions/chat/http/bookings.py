"""Handlers of the caller's bookings."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, booking_of, caller_of
from shared.contracts.booking import BookingList
from shared.services.booking import view_of
from shared.web.answers import NO_STORE, answer, nothing
from shared.web.negotiation import locale_of

CALENDAR = "text/calendar"


async def list_bookings(api: ChatApi, request: Request) -> Response:
    """List the caller's booked sessions that have not ended, the next one first."""
    found = await api.bookings.upcoming(await caller_of(api, request))
    return answer(BookingList(bookings=tuple(map(view_of, found)), zone=api.bookings.zone))


async def get_booking_file(api: ChatApi, request: Request) -> Response:
    """Get a booking as an iCalendar file (RFC 5545)."""
    caller = await caller_of(api, request)
    booking_id = booking_of(request)
    file = await api.bookings.ics(caller, booking_id, locale_of(request))
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="cbot-{booking_id}.ics"'}
    return Response(file, headers=headers, media_type=CALENDAR)


async def cancel_booking(api: ChatApi, request: Request) -> Response:
    """Cancel a booking and free its time; may be repeated."""
    await api.bookings.cancel(await caller_of(api, request), booking_of(request))
    return nothing()
