"""Manifest of the booking service."""

from functions.chat.flows.booking.execution import HOOKS, Booked
from functions.chat.flows.booking.flow import BookingFlow
from functions.chat.flows.booking.wishes import NAME
from shared.content.catalogue import Content
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.readings import RequestKind
from shared.domain.counseling.session import Session
from shared.domain.turn import Hook
from shared.engine.flow import Manifest
from shared.engine.hooks import HookContext
from shared.ports.appointments import Appointments


def mid_flow(state: Session) -> bool:
    """Return whether the next message belongs to booking: a request is being filled or waits for its confirmation.

    After another service's reply the request waits until the user comes back to it.
    """
    return state.booking.mid_flow and state.answered_by == NAME


async def _ignore(_booking_id: str) -> None:
    """Do nothing."""


def booking(
    content: Content, appointments: Appointments, calendar: Calendar | None = None, booked: Booked = _ignore
) -> Manifest[Session]:
    """Return the manifest.

    Args:
        content: All content.
        appointments: The booked sessions.
        calendar: The operator's calendar; None takes that of the content.
        booked: Called when a session was booked or changed, before the turn is committed and again after it.
    """
    calendar = calendar or content.booking_calendar
    flow = BookingFlow(content, appointments, calendar, booked)

    async def told(_context: HookContext[Session], hook: Hook) -> None:
        await booked(str(hook.data["booking_id"]))

    handlers = {HOOKS[kind]: told for kind in (RequestKind.BOOK, RequestKind.CHANGE)}
    return Manifest(
        name=NAME, flow=flow, claims=content.booking_reader.claims, mid_flow=mid_flow, hook_handlers=handlers
    )
