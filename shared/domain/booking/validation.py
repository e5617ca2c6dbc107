"""Checks the values of a request against the calendar and the user's other bookings."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.domain.booking.appointment import Appointment
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.readings import RequestKind
from shared.domain.booking.slots import BookingSlots, Problem, SlotName, Way
from shared.domain.booking.state import BookingRequest

_SLOT = {
    Problem.PAST: SlotName.DATE,
    Problem.TOO_FAR: SlotName.DATE,
    Problem.CLOSED_DAY: SlotName.DATE,
    Problem.LENGTH_NOT_OFFERED: SlotName.LENGTH,
}
"""The slot that a calendar's problem is about; of any other it is the time."""


@dataclass(frozen=True)
class Situation:
    """What the checks compare with.

    Attributes:
        now: The present.
        zone: The user's zone.
        taken: Seats taken by cell, without those of the booking that is changed.
        own: The user's bookings.
    """

    calendar: Calendar
    now: dt.datetime
    zone: dt.tzinfo
    taken: Mapping[dt.datetime, int] = field(default_factory=dict)
    own: tuple[Appointment, ...] = ()

    def start(self, slots: BookingSlots) -> dt.datetime | None:
        """Return the instant that date and time name in the user's zone."""
        if slots.date is None or slots.time is None:
            return None
        return dt.datetime.combine(slots.date, slots.time, self.zone).astimezone(dt.UTC)


def minutes_of(slots: BookingSlots, calendar: Calendar) -> int:
    """Return the length, or the default."""
    return calendar.default_length if slots.length_minutes is None else slots.length_minutes


def way_of(slots: BookingSlots) -> Way:
    """Return the way, or the default: chat, which needs nothing more."""
    return slots.way or Way.CHAT


def problems(request: BookingRequest, situation: Situation) -> dict[SlotName, Problem]:
    """Return what is wrong with the values that are given, by slot."""
    if request.kind is RequestKind.CANCEL:
        return {}
    slots, calendar = request.whole, situation.calendar
    found: dict[SlotName, Problem] = {}
    minutes = minutes_of(slots, calendar)
    if minutes not in calendar.lengths:
        found[SlotName.LENGTH] = Problem.LENGTH_NOT_OFFERED
        minutes = calendar.default_length
    if (start := situation.start(slots)) is None:
        if slots.date and (problem := calendar.day_problem(slots.date, situation.now)):
            found[SlotName.DATE] = problem
        return found
    if problem := _problem(request, start, minutes, situation):
        found[_SLOT.get(problem, SlotName.TIME)] = problem
    return found


def _problem(request: BookingRequest, start: dt.datetime, minutes: int, situation: Situation) -> Problem | None:
    calendar = situation.calendar
    if problem := calendar.problem(start, minutes, situation.now):
        return problem
    if any(one.overlaps(start, minutes) for one in situation.own if one.booking_id != request.slots.target):
        return Problem.OWN_OVERLAP
    full = any(situation.taken.get(cell, 0) >= calendar.seats for cell in calendar.cells(start, minutes))
    return Problem.TAKEN if full else None
