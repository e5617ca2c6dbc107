"""The endpoints of the caller's bookings."""

from functions.chat.http import bookings
from functions.chat.http.api import ChatApi
from shared.contracts.booking import BookingList
from shared.web.endpoint import Endpoint, Operation

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
        bookings.list_own,
    ),
    Operation(
        Endpoint(
            "GET",
            f"{ONE}.ics",
            "get_booking_file",
            "Get a booking as an iCalendar file (RFC 5545)",
            media=bookings.CALENDAR,
        ),
        bookings.ics,
    ),
    Operation(
        Endpoint(
            "DELETE",
            ONE,
            "cancel_booking",
            "Cancel a booking and free its time; may be repeated",
            status=204,
        ),
        bookings.cancel,
    ),
)
