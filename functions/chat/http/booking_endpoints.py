"""The endpoints of the caller's bookings."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, booking_of, caller_of
from shared.contracts.booking import BookingList
from shared.services.booking import view_of
from shared.web.answers import NO_STORE, answer, nothing
from shared.web.endpoint import Endpoint, Operation
from shared.web.negotiation import locale_of

CALENDAR = "text/calendar"


async def list_own(api: ChatApi, request: Request) -> Response:
    """List the caller's booked sessions that have not ended."""
    found = await api.bookings.upcoming(await caller_of(api, request))
    return answer(BookingList(bookings=tuple(map(view_of, found)), zone=api.bookings.zone))


async def ics(api: ChatApi, request: Request) -> Response:
    """Return a booking as a file for the caller's own calendar."""
    caller = await caller_of(api, request)
    booking_id = booking_of(request)
    file = await api.bookings.ics(caller, booking_id, locale_of(request))
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="cbot-{booking_id}.ics"'}
    return Response(file, headers=headers, media_type=CALENDAR)


async def cancel(api: ChatApi, request: Request) -> Response:
    """Cancel a booking; may be repeated."""
    await api.bookings.cancel(await caller_of(api, request), booking_of(request))
    return nothing()


ALL = "/api/bookings"
ONE = "/api/bookings/{booking_id}"

OPERATIONS: tuple[Operation[ChatApi], ...] = (
    Operation(
        Endpoint(
            "GET",
            ALL,
            "list_bookings",
            "List the caller's booked sessions that have not ended, the next one first",
            response=BookingList,
        ),
        list_own,
    ),
    Operation(
        Endpoint(
            "GET",
            f"{ONE}.ics",
            "get_booking_file",
            "Get a booking as an iCalendar file (RFC 5545)",
            media=CALENDAR,
        ),
        ics,
    ),
    Operation(
        Endpoint(
            "DELETE",
            ONE,
            "cancel_booking",
            "Cancel a booking and free its time; may be repeated",
            status=204,
        ),
        cancel,
    ),
)
