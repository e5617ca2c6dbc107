"""The operator's calendar: what forbids a session, and which times are free."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.domain.booking.calendar import CELL, Calendar, Span
from shared.domain.booking.slots import Problem

DAY = Span(opens="10:00", closes="18:00")
CALENDAR = Calendar(
    seats=2,
    lengths=(30, 50, 80),
    default_length=50,
    pause=10,
    lead_minutes=120,
    horizon_days=30,
    hours=dict.fromkeys(("mon", "tue", "wed", "thu", "fri"), (DAY,)),
    breaks=(Span(opens="12:00", closes="13:00"),),
    closed=("2026-12-03",),
    special={"2026-12-05": (Span(opens="10:00", closes="11:00"),)},
)
SEOUL = CALENDAR.tzinfo
NOW = dt.datetime(2026, 11, 27, 10, 0, tzinfo=SEOUL)


def at(text):
    return dt.datetime.fromisoformat(f"2026-{text}").replace(tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("start", "minutes", "problem"),
    [
        ("12-02T15:00", 50, None),
        ("12-02T17:00", 50, None),
        ("12-02T17:30", 50, Problem.OUTSIDE_HOURS),
        ("12-02T11:30", 50, Problem.OUTSIDE_HOURS),
        ("12-02T11:00", 50, None),
        ("12-02T13:00", 50, None),
        ("12-02T09:30", 50, Problem.OUTSIDE_HOURS),
        ("12-02T15:10", 50, Problem.OFF_GRID),
        ("12-02T15:00", 45, Problem.LENGTH_NOT_OFFERED),
        ("12-03T15:00", 50, Problem.CLOSED_DAY),
        ("11-29T15:00", 50, Problem.CLOSED_DAY),
        ("12-05T10:00", 50, None),
        ("11-27T11:30", 30, Problem.TOO_SOON),
        ("11-27T09:00", 30, Problem.PAST),
        ("12-29T15:00", 50, Problem.TOO_FAR),
    ],
)
def test_what_forbids_a_session(start, minutes, problem):
    assert CALENDAR.problem(at(start), minutes, NOW) is problem


def test_the_users_zone_does_not_move_the_operators_hours():
    assert CALENDAR.problem(at("12-02T15:00").astimezone(dt.UTC), 50, NOW) is None


def test_free_times_leave_out_what_is_taken_and_the_pause_after_it():
    taken = dict.fromkeys(CALENDAR.cells(at("12-02T15:00"), 50), 2)
    free = CALENDAR.free(dt.date(2026, 12, 2), 50, NOW, taken)
    assert dt.time(14) in free
    assert dt.time(16) in free
    assert {dt.time(14, 30), dt.time(15), dt.time(15, 30)}.isdisjoint(free)
    assert CALENDAR.free(dt.date(2026, 12, 3), 50, NOW, {}) == ()


@given(
    st.lists(st.tuples(st.integers(0, 15), st.sampled_from([30, 50, 80])), max_size=6), st.sampled_from([30, 50, 80])
)
def test_a_free_time_never_has_a_cell_in_which_every_seat_is_taken(booked, minutes):
    taken = {}
    for step, length in booked:
        for cell in CALENDAR.cells(at("12-02T10:00") + dt.timedelta(minutes=30) * step, length):
            taken[cell] = taken.get(cell, 0) + 1
    for start in CALENDAR.free(dt.date(2026, 12, 2), minutes, NOW, taken):
        begins = dt.datetime.combine(dt.date(2026, 12, 2), start, SEOUL)
        assert all(taken.get(cell, 0) < 2 for cell in CALENDAR.cells(begins, minutes))
        assert CALENDAR.problem(begins, minutes, NOW) is None


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from([30, 50, 80]), st.sampled_from([30, 50, 80]))
def test_sessions_share_a_cell_exactly_if_they_overlap(first, second, one, other):
    begin = at("12-02T10:00")
    start, later = (begin + dt.timedelta(minutes=30) * step for step in (first, second))
    pause = dt.timedelta(minutes=CALENDAR.pause)
    overlap = start < later + dt.timedelta(minutes=other) + pause and later < start + dt.timedelta(minutes=one) + pause
    shared = set(CALENDAR.cells(start, one)) & set(CALENDAR.cells(later, other))
    assert bool(shared) == overlap
    assert all(cell.minute % (CELL.seconds // 60) == 0 for cell in shared)


@pytest.mark.parametrize(
    "wrong",
    [
        {"zone": "Seoul"},
        {"default_length": 45},
        {"lengths": (45, 50)},
        {"every": 40},
        {"hours": {"monday": (DAY,)}},
        {"breaks": ({"opens": "13:00", "closes": "12:00"},)},
    ],
)
def test_a_wrong_calendar_is_refused(wrong):
    with pytest.raises(ValidationError):
        Calendar.model_validate({**CALENDAR.model_dump(), **wrong})
