"""The operator's calendar: when sessions can be, and which times are free."""

import datetime as dt
from collections.abc import Mapping
from functools import cached_property
from typing import Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, model_validator

from shared.domain.booking.slots import Problem
from shared.model import Model

CELL = dt.timedelta(minutes=10)
"""The calendar's grain: every session takes whole cells, and two that overlap share one."""
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CELL_MINUTES = 10


class Span(Model):
    """Hours of a day, `10:00` to `18:00`; the end is excluded."""

    opens: dt.time
    closes: dt.time

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.opens >= self.closes:
            raise ValueError(f"closes at {self.closes:%H:%M}, before it opens")
        return self

    def holds(self, start: dt.time, minutes: int) -> bool:
        """Return whether a session fits in."""
        return self.opens <= start and _minutes(start) + minutes <= _minutes(self.closes)

    def meets(self, start: dt.time, minutes: int) -> bool:
        """Return whether a session overlaps it."""
        return start < self.closes and _minutes(start) + minutes > _minutes(self.opens)


class Calendar(Model):
    """The file `booking_calendar.yaml`.

    Attributes:
        zone: IANA name of the zone of all hours here, and of users whose zone is not known.
        seats: Sessions that can be held at the same time.
        every: Minutes from one possible start to the next, from the full hour.
        lengths: Minutes that a session may last.
        default_length: Minutes if the user does not say.
        pause: Minutes that a seat stays free after a session.
        lead_minutes: How long before its start a session can still be booked, or another moved there. Cancelling is
            always possible.
        remind_minutes: How long before its start the user is reminded of a session.
        horizon_days: How far ahead sessions can be booked.
        hours: Open hours by weekday; a weekday that is not named is closed.
        breaks: Hours of every day in which no session takes place.
        closed: Days without sessions.
        special: Open hours of single days, instead of their weekday's.
    """

    zone: str = "Asia/Seoul"
    seats: int = Field(default=1, ge=1, le=20)
    every: int = Field(default=30, ge=_CELL_MINUTES, le=60)
    lengths: tuple[int, ...] = Field(min_length=1)
    default_length: int
    pause: int = Field(default=0, ge=0, le=60)
    lead_minutes: int = Field(default=60, ge=0)
    remind_minutes: int = Field(default=180, ge=1)
    horizon_days: int = Field(default=60, ge=1, le=365)
    hours: Mapping[str, tuple[Span, ...]]
    breaks: tuple[Span, ...] = ()
    closed: tuple[dt.date, ...] = ()
    special: Mapping[dt.date, tuple[Span, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if unknown := set(self.hours) - set(WEEKDAYS):
            raise ValueError(f"hours: no weekday {min(unknown)!r}; they are {', '.join(WEEKDAYS)}")
        if self.default_length not in self.lengths:
            raise ValueError("default_length is none of the lengths")
        for name, minutes in (
            ("every", self.every),
            ("pause", self.pause),
            *(("lengths", one) for one in self.lengths),
        ):
            if minutes % _CELL_MINUTES or minutes < 0:
                raise ValueError(f"{name}: {minutes} is no multiple of {_CELL_MINUTES} minutes")
        if 60 % self.every:
            raise ValueError("every: no part of an hour")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"zone: {self.zone!r} is no IANA time zone") from None
        return self

    @cached_property
    def tzinfo(self) -> ZoneInfo:
        return ZoneInfo(self.zone)

    def open_at(self, day: dt.date | None, time: dt.time) -> bool:
        """Return whether a time lies in open hours; without a day, in those of any weekday."""
        spans = self._spans(day) if day else [span for hours in self.hours.values() for span in hours]
        return any(span.holds(time, 0) and time < span.closes for span in spans)

    def cells(self, start: dt.datetime, minutes: int) -> tuple[dt.datetime, ...]:
        """Return the cells that a session takes, with the pause after it, in UTC."""
        first = start.astimezone(dt.UTC)
        return tuple(first + CELL * index for index in range((minutes + self.pause) // _CELL_MINUTES))

    def problem(self, start: dt.datetime, minutes: int, now: dt.datetime) -> Problem | None:
        """Return what forbids a session, whatever is taken."""
        local = start.astimezone(self.tzinfo)
        if minutes not in self.lengths:
            return Problem.LENGTH_NOT_OFFERED
        if start < now:
            return Problem.PAST
        if start < now + dt.timedelta(minutes=self.lead_minutes):
            return Problem.TOO_SOON
        if problem := self.day_problem(local.date(), now):
            return problem
        if not any(span.holds(local.time(), minutes) for span in self._spans(local.date())):
            return Problem.OUTSIDE_HOURS
        if any(span.meets(local.time(), minutes) for span in self.breaks):
            return Problem.OUTSIDE_HOURS
        return Problem.OFF_GRID if local.minute % self.every or local.second or local.microsecond else None

    def day_problem(self, day: dt.date, now: dt.datetime) -> Problem | None:
        """Return what forbids a whole day."""
        today = now.astimezone(self.tzinfo).date()
        if day < today:
            return Problem.PAST
        if day > today + dt.timedelta(days=self.horizon_days):
            return Problem.TOO_FAR
        return None if self._spans(day) else Problem.CLOSED_DAY

    def free(
        self, day: dt.date, minutes: int, now: dt.datetime, taken: Mapping[dt.datetime, int]
    ) -> tuple[dt.time, ...]:
        """Return the starts of a day, in the calendar's zone, at which a session is possible and a seat is free.

        Args:
            day: The day in the calendar's zone.
            minutes: The session's length.
            now: The present.
            taken: How many seats are taken in each cell, by its start in UTC.
        """
        midnight = dt.datetime.combine(day, dt.time(0), self.tzinfo)
        starts = (midnight + dt.timedelta(minutes=self.every) * step for step in range(24 * 60 // self.every))
        return tuple(
            start.time()
            for start in starts
            if self.problem(start, minutes, now) is None
            and all(taken.get(cell, 0) < self.seats for cell in self.cells(start, minutes))
        )

    def _spans(self, day: dt.date) -> tuple[Span, ...]:
        if day in self.special:
            return self.special[day]
        return () if day in self.closed else self.hours.get(WEEKDAYS[day.weekday()], ())


def _minutes(time: dt.time) -> int:
    return time.hour * 60 + time.minute
