"""What a turn knows of the calendar: the user's bookings and what is taken on a day."""

import datetime as dt
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from shared.domain.booking.appointment import Appointment, upcoming
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.slots import BookingSlots
from shared.domain.booking.state import BookingRequest, BookingState
from shared.domain.booking.validation import Situation
from shared.domain.ids import UserId
from shared.ports.appointments import Appointments

_DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Desk:
    """The calendar as it stands at the beginning of a turn.

    Attributes:
        bookings: The user's bookings that have not ended, the next one first.
        zone: The user's zone.
    """

    appointments: Appointments
    calendar: Calendar
    user_id: UserId
    now: dt.datetime
    zone: dt.tzinfo
    bookings: tuple[Appointment, ...]

    @classmethod
    async def opened(
        cls, appointments: Appointments, calendar: Calendar, state: BookingState, user_id: UserId, now: dt.datetime
    ) -> "Desk":
        """Read the user's bookings.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        zone = zone_of(state.zone, calendar)
        own = upcoming(await appointments.of_user(user_id), now)
        return cls(appointments, calendar, user_id, now, zone, own)

    async def again(self) -> "Desk":
        """Return the desk with the user's bookings read anew, after one was changed.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        own = upcoming(await self.appointments.of_user(self.user_id), self.now)
        return replace(self, bookings=own)

    @property
    def local_now(self) -> dt.datetime:
        """The present in the user's zone."""
        return self.now.astimezone(self.zone)

    def open_at(self, day: dt.date | None, time: dt.time) -> bool:
        """Return whether the operator is open at a time in the user's zone; without a day, on any weekday."""
        named = dt.datetime.combine(day or self.local_now.date(), time, self.zone).astimezone(self.calendar.tzinfo)
        return self.calendar.open_at(named.date() if day else None, named.time())

    def booking(self, booking_id: str | None) -> Appointment | None:
        return next((one for one in self.bookings if one.booking_id == booking_id), None)

    def start(self, request: BookingRequest) -> dt.datetime | None:
        """Return the instant of a request, in UTC."""
        return Situation(self.calendar, self.now, self.zone).start(request.whole)

    async def situation(self, request: BookingRequest | None) -> Situation:
        """Return what a request is checked against.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        plain = Situation(self.calendar, self.now, self.zone, own=self.bookings)
        if request is None or request.whole.date is None:
            return plain
        return replace(plain, taken=await self._taken(request.whole.date, request))

    async def free(self, day: dt.date, request: BookingRequest) -> tuple[dt.time, ...]:
        """Return the free starts of a day, in the user's zone.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        taken, minutes = await self._taken(day, request), _minutes(request.whole, self.calendar)
        local = dt.datetime.combine(day, dt.time(0), self.zone)
        days = {moment.astimezone(self.calendar.tzinfo).date() for moment in (local, local + _DAY)}
        starts = [
            dt.datetime.combine(one, time, self.calendar.tzinfo).astimezone(self.zone)
            for one in sorted(days)
            for time in self.calendar.free(one, minutes, self.now, taken)
        ]
        own = [one for one in self.bookings if one.booking_id != request.slots.target]
        return tuple(
            start.time()
            for start in starts
            if start.date() == day and not any(one.overlaps(start, minutes) for one in own)
        )

    async def _taken(self, day: dt.date, request: BookingRequest) -> dict[dt.datetime, int]:
        since = dt.datetime.combine(day, dt.time(0), self.zone)
        taken = dict(await self.appointments.taken(since, since + 2 * _DAY))
        changed = self.booking(request.slots.target)
        for cell in changed.cells if changed else ():
            taken[cell] = taken.get(cell, 1) - 1
        return taken


def zone_of(name: str, calendar: Calendar) -> dt.tzinfo:
    """Return the user's zone; the calendar's without one, and for a name that is no zone."""
    try:
        return ZoneInfo(name) if name else calendar.tzinfo
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return calendar.tzinfo


def _minutes(slots: BookingSlots, calendar: Calendar) -> int:
    asked = slots.length_minutes
    return asked if asked in calendar.lengths else calendar.default_length
