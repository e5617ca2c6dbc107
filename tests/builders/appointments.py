"""Builders of appointments."""

import datetime as dt
from contextlib import suppress

from shared.adapters.documents import paths
from shared.adapters.documents.appointments import DocumentAppointments
from shared.domain.booking.appointment import KEPT_AFTER, Appointment
from shared.domain.booking.calendar import CELL
from shared.domain.booking.slots import Way
from shared.domain.errors import DocumentExists
from shared.ports.document_writes import Create


def appointment(user, start, minutes=50, name="b1", conversation_id="c1", now=None, **rest):
    """Return a booked appointment with a pause of ten minutes."""
    now = now or start - dt.timedelta(days=1)
    return Appointment(
        booking_id=name,
        user_id=user,
        conversation_id=conversation_id,
        starts_at=start,
        minutes=minutes,
        **{"way": Way.CHAT, **rest},
        cells=tuple(start + CELL * index for index in range(minutes // 10 + 1)),
        created_at=now,
        updated_at=now,
        expire_at=start + KEPT_AFTER,
    )


class AnyonesAppointments(DocumentAppointments):
    """Appointments of users who need not have opened a conversation."""

    async def book(self, appointment, seats):
        with suppress(DocumentExists):
            await self._database.commit([Create(paths.user(appointment.user_id), {})])
        return await super().book(appointment, seats)
