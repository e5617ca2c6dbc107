"""Slots of a booking request, and what can be wrong with a value."""

import datetime as dt
import re
from enum import StrEnum
from typing import Self

from shared.model import Model

LONGEST_NOTE = 200
"""Maximum characters of a note."""
_PHONE = re.compile(r"0(?:1[016789]\d{7,8}|2\d{7,8}|[3-6]\d\d{7,8}|70\d{8}|50\d{8,9})|\+\d{8,15}")


class SlotName(StrEnum):
    DATE = "date"
    TIME = "time"
    LENGTH = "length_minutes"
    WAY = "way"
    PHONE_NUMBER = "phone_number"
    """Required for a phone session only."""
    NOTE = "note"
    TARGET = "target"
    """The booking to change or cancel."""


class Way(StrEnum):
    CHAT = "chat"
    PHONE = "phone"


class Problem(StrEnum):
    """Why a value does not do; `booking_replies.yaml` has the words for the user."""

    PAST = "past"
    IMPOSSIBLE_DATE = "impossible_date"
    """30 February, month 13."""
    IMPOSSIBLE_TIME = "impossible_time"
    """26:00, 3:75, "three in the morning of the forenoon"."""
    DATE_RANGE = "date_range"
    TIME_RANGE = "time_range"
    ALTERNATIVES = "alternatives"
    """"Wednesday or Thursday": the user has to choose."""
    WHICH_DAY = "which_day"
    """A week or a month without a day; "next Wednesday" if it may be in this week or the next."""
    WHICH_TIME = "which_time"
    """A part of the day without an hour; an hour that may be in the morning or in the afternoon."""
    WEEKDAY_MISMATCH = "weekday_mismatch"
    """The weekday is not that of the date."""
    LENGTH_NOT_OFFERED = "length_not_offered"
    WAY_NOT_OFFERED = "way_not_offered"
    BAD_PHONE_NUMBER = "bad_phone_number"
    CLOSED_DAY = "closed_day"
    OUTSIDE_HOURS = "outside_hours"
    OFF_GRID = "off_grid"
    """Sessions begin on the hour or the half-hour, or as the operator says."""
    TOO_SOON = "too_soon"
    TOO_FAR = "too_far"
    TAKEN = "taken"
    OWN_OVERLAP = "own_overlap"
    """The user has another booking then."""
    TOO_MANY = "too_many"
    NO_BOOKING = "no_booking"
    """There is none to change or cancel."""
    WHICH_BOOKING = "which_booking"
    DATE_NEEDED = "date_needed"
    """The user declines to give what no booking can do without."""
    UNCLEAR = "unclear"
    """Nothing was understood, or the extractor failed (`parse_error`)."""


class BookingSlots(Model):
    """The values of a request; None means "not given", so a given `0` or `""` ("없어요") counts."""

    date: dt.date | None = None
    time: dt.time | None = None
    length_minutes: int | None = None
    way: Way | None = None
    phone_number: str | None = None
    note: str | None = None
    target: str | None = None

    def given(self, name: SlotName) -> bool:
        return getattr(self, name.value) is not None

    def over(self, before: Self) -> Self:
        """Return the earlier values with these on top."""
        told = {name: value for name, value in self if value is not None}
        return before.model_copy(update=told)

    def without(self, *names: SlotName) -> Self:
        return self.model_copy(update=dict.fromkeys(name.value for name in names))

    @property
    def empty(self) -> bool:
        return all(value is None for _, value in self)


def valid_phone_number(text: str) -> str | None:
    """Return a phone number as digits, with its `+` if there is one; None if it is none."""
    digits = re.sub(r"[\s().\-]", "", text)
    return digits if _PHONE.fullmatch(digits) else None


def valid_note(text: str) -> str:
    """Return a note in one line, cut to its longest length; "" is a note without content."""
    return " ".join(text.split())[:LONGEST_NOTE]
