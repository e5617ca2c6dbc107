"""Bookings on the wire."""

import datetime as dt

from pydantic import Field, RootModel

from shared.contracts.wire import Wire
from shared.domain.booking.appointment import MOST_OPEN, AppointmentStatus
from shared.domain.booking.readings import RequestKind
from shared.domain.booking.slots import SlotName, Way
from shared.domain.booking.state import BookingStage


class BookingSlotsView(Wire):
    """The values of a request, with the defaults that stand; null is not given yet."""

    date: dt.date | None
    time: dt.time | None
    length_minutes: int
    way: Way
    phone_number: str | None
    note: str | None


class SlotProblem(Wire):
    """A value that was not taken."""

    slot: SlotName
    code: str
    text: str = Field(description="For the user")


class BookingCard(Wire):
    """The request in work; after the last one of a batch, that one."""

    stage: BookingStage
    kind: RequestKind | None = Field(description="Null if there is no request")
    slots: BookingSlotsView | None
    before: BookingSlotsView | None = Field(description="The booking that is changed or cancelled")
    missing: tuple[SlotName, ...] = Field(description="Required slots that are still open, the next one first")
    slot_errors: tuple[SlotProblem, ...]
    batch_total: int = Field(ge=0)
    batch_progress: int = Field(ge=0, description="Which request of the batch it is, from 1")
    booking_id: str | None = Field(description="Once executed")
    zone: str = Field(description="IANA time zone of date and time")


class BookingView(Wire):
    """A booked session."""

    booking_id: str
    starts_at: dt.datetime
    ends_at: dt.datetime
    length_minutes: int
    way: Way
    phone_number: str | None
    note: str
    status: AppointmentStatus


class BookingList(Wire):
    """The caller's booked sessions that have not ended, the next one first."""

    bookings: tuple[BookingView, ...]
    limit: int = Field(default=MOST_OPEN, description="How many a user may have at a time")
    zone: str = Field(description="IANA time zone of the service")


class AppointmentList(RootModel[tuple[BookingView, ...]]):
    """All appointments of a user, cancelled and past ones too, for the export."""
