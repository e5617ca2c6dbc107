"""The iCalendar file of an appointment."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.booking.appointment import AppointmentStatus
from shared.domain.booking.ics import ics_of
from tests.builders.appointments import appointment

START = dt.datetime(2026, 12, 2, 15, 0, tzinfo=dt.timezone(dt.timedelta(hours=9)))
NOW = dt.datetime(2026, 11, 27, 1, 0, tzinfo=dt.UTC)
BOOKED = appointment("u1", START, note="잠", phone_number="01012345678", now=NOW)


def test_has_utc_times_and_neither_note_nor_number():
    assert ics_of(BOOKED, "상담", "50분 채팅").split("\r\n") == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//CBot//Booking//KO",
        "CALSCALE:GREGORIAN",
        "BEGIN:VEVENT",
        "UID:b1@cbot",
        "DTSTAMP:20261127T010000Z",
        "DTSTART:20261202T060000Z",
        "DTEND:20261202T065000Z",
        "SEQUENCE:0",
        "STATUS:CONFIRMED",
        "SUMMARY:상담",
        "DESCRIPTION:50분 채팅",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_a_cancelled_one_cancels_the_same_event_with_a_higher_sequence():
    cancelled = BOOKED.model_copy(update={"status": AppointmentStatus.CANCELLED, "sequence": 2})
    lines = ics_of(cancelled, "상담", "").split("\r\n")
    assert {"METHOD:CANCEL", "UID:b1@cbot", "SEQUENCE:2", "STATUS:CANCELLED"} <= set(lines)


@given(st.text())
def test_any_text_is_escaped_folded_and_read_back(text):
    lines = ics_of(BOOKED, text, "").split("\r\n")
    assert all(len(line.encode(errors="replace")) <= 75 for line in lines)
    assert "\n" not in "".join(lines)
    unfolded = "\r\n".join(lines).replace("\r\n ", "")
    (summary,) = [line.removeprefix("SUMMARY:") for line in unfolded.split("\r\n") if line.startswith("SUMMARY:")]
    shown = "".join(char for char in "\n".join(text.splitlines()) if char.isprintable() or char in "\t\n")
    decoded = summary.replace("\\\\", "\x00").replace("\\n", "\n").replace("\\;", ";").replace("\\,", ",")
    assert decoded.replace("\x00", "\\") == shown
