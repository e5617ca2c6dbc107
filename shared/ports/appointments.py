"""Port of the booked sessions: no two share a cell of a seat, and none overlaps another of its user."""

import datetime as dt
from collections.abc import Mapping
from typing import Protocol

from shared.domain.booking.appointment import Appointment
from shared.domain.booking.slots import Problem
from shared.domain.ids import UserId


class Appointments(Protocol):
    """The appointments of all users. Every method raises `StoreUnavailable`, and may then be repeated.

    `ErasureStore.hide_everything` erases them with their user, for whom nothing is booked any more.
    """

    async def book(self, appointment: Appointment, seats: int) -> Appointment | Problem:
        """Store an appointment on the first seat that is free.

        Args:
            appointment: With the cells that it takes; its seat is chosen here.
            seats: How many seats there are.

        Returns:
            The stored appointment, also when it was stored before: a retry books once. Else `TAKEN`, `OWN_OVERLAP`, or
            `TOO_MANY` if the user has `MOST_OPEN` that have not ended.
        """
        ...

    async def move(self, changed: Appointment, seats: int) -> Appointment | Problem:
        """Replace a booked appointment by one with other values, on its own seat if that is free.

        Returns:
            The stored appointment; unchanged if it has these values already. Else `TAKEN`, `OWN_OVERLAP`, or
            `NO_BOOKING` if the user has no such booked appointment. It then stays as it was.
        """
        ...

    async def cancel(self, user_id: UserId, booking_id: str, at: dt.datetime) -> Appointment | None:
        """Cancel an appointment and free its cells; a cancelled one stays as it is. None if the user has none."""
        ...

    async def find(self, booking_id: str) -> Appointment | None:
        """Return an appointment of any user, or None."""
        ...

    async def of_user(self, user_id: UserId) -> tuple[Appointment, ...]:
        """Return all appointments of a user, cancelled ones too, the earliest first."""
        ...

    async def taken(self, since: dt.datetime, until: dt.datetime) -> Mapping[dt.datetime, int]:
        """Return how many seats are taken in each cell that begins in this time; cells without any are left out."""
        ...
