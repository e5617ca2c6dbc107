"""A booked session."""

import datetime as dt
import hashlib
from enum import StrEnum

from pydantic import Field

from shared.domain.booking.slots import BookingSlots, Way
from shared.domain.ids import ConversationId, UserId
from shared.model import Model

MOST_OPEN = 5
"""Booked sessions of a user that have not ended."""
KEPT_AFTER = dt.timedelta(days=90)
"""How long an appointment is stored after its start."""
_DIGITS = 24


class AppointmentStatus(StrEnum):
    BOOKED = "booked"
    CANCELLED = "cancelled"


class Appointment(Model):
    """An appointment of a user.

    Attributes:
        booking_id: The same for every attempt to execute one request, so that a retry books once.
        starts_at: In UTC.
        sequence: 0, and one more for every change; calendar programs keep the newest (RFC 5545, 3.8.7.4).
        cells: What it takes of the calendar, by their starts; empty once cancelled.
        seat: Which of the operator's seats.
    """

    booking_id: str
    user_id: UserId
    conversation_id: ConversationId
    starts_at: dt.datetime
    minutes: int = Field(ge=1)
    way: Way
    phone_number: str | None = None
    note: str = ""
    status: AppointmentStatus = AppointmentStatus.BOOKED
    sequence: int = Field(default=0, ge=0)
    cells: tuple[dt.datetime, ...] = ()
    seat: int = Field(default=0, ge=0)
    created_at: dt.datetime
    updated_at: dt.datetime
    expire_at: dt.datetime

    @property
    def ends_at(self) -> dt.datetime:
        return self.starts_at + dt.timedelta(minutes=self.minutes)

    @property
    def booked(self) -> bool:
        return self.status is AppointmentStatus.BOOKED

    def slots(self, zone: dt.tzinfo) -> BookingSlots:
        """Return its values as slots, in a user's zone."""
        local = self.starts_at.astimezone(zone)
        return BookingSlots(
            date=local.date(),
            time=local.time(),
            length_minutes=self.minutes,
            way=self.way,
            phone_number=self.phone_number,
            note=self.note,
            target=self.booking_id,
        )

    def overlaps(self, start: dt.datetime, minutes: int) -> bool:
        return self.booked and self.starts_at < start + dt.timedelta(minutes=minutes) and start < self.ends_at


def booking_id_of(conversation_id: ConversationId, request_id: str) -> str:
    return hashlib.sha256(f"{conversation_id}\x00{request_id}".encode()).hexdigest()[:_DIGITS]


def upcoming(appointments: tuple[Appointment, ...], now: dt.datetime) -> tuple[Appointment, ...]:
    """Return the booked appointments that have not ended, the next one first."""
    return tuple(sorted((one for one in appointments if one.booked and one.ends_at > now), key=lambda a: a.starts_at))
