"""The booked sessions of a user: listed, as a calendar file, cancelled."""

from dataclasses import dataclass

from shared.content.catalogue import Content
from shared.domain.booking.appointment import Appointment, upcoming
from shared.domain.booking.ics import ics_of
from shared.domain.errors import NotFound
from shared.locale import Locale
from shared.ports.appointments import Appointments
from shared.ports.clock import Clock
from shared.ports.identity import Caller


@dataclass(frozen=True)
class Bookings:
    """Shows and cancels bookings outside a conversation. Every method raises `StoreUnavailable`."""

    appointments: Appointments
    clock: Clock
    content: Content

    async def upcoming(self, caller: Caller) -> tuple[Appointment, ...]:
        """Return the caller's booked sessions that have not ended, the next one first."""
        return upcoming(await self.appointments.of_user(caller.user_id), self.clock.now())

    @property
    def zone(self) -> str:
        """IANA name of the service's time zone."""
        return self.content.booking_calendar.zone

    async def ics(self, caller: Caller, booking_id: str, locale: Locale) -> str:
        """Return a booking as an iCalendar file, also a cancelled one.

        Raises:
            NotFound: The caller has no such booking.
        """
        own = await self.appointments.of_user(caller.user_id)
        found = next((one for one in own if one.booking_id == booking_id), None)
        if found is None:
            raise NotFound("booking")
        replies = self.content.booking_replies
        return ics_of(found, replies.event_title.at(locale), replies.ways[found.way].at(locale))

    async def cancel(self, caller: Caller, booking_id: str) -> None:
        """Cancel a booking and free its time; may be repeated.

        Raises:
            NotFound: The caller has no such booking.
        """
        if await self.appointments.cancel(caller.user_id, booking_id, self.clock.now()) is None:
            raise NotFound("booking")
