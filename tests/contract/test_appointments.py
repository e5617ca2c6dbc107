"""The contract of `Appointments`: no double booking, also when many confirm at once."""

import asyncio
import datetime as dt

import pytest

from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.domain.booking.appointment import KEPT_AFTER, MOST_OPEN, Appointment
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.slots import Problem, Way
from shared.domain.counseling.session import Session
from shared.domain.errors import StoreUnavailable
from tests.builders.appointments import AnyonesAppointments
from tests.builders.erasing import erase_everything

HOURS = {"wed": ({"opens": "10:00", "closes": "21:00"},)}
CALENDAR = Calendar(lengths=(30, 50, 80), default_length=50, pause=10, hours=HOURS)
THREE = dt.datetime(2026, 12, 2, 15, 0, tzinfo=CALENDAR.tzinfo).astimezone(dt.UTC)
NOW = dt.datetime(2026, 11, 27, 1, 0, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(hours=1)
HALF = dt.timedelta(minutes=30)


@pytest.fixture
def appointments(database):
    return AnyonesAppointments(database)


def appointment(name, start=THREE, minutes=50, user=None, **rest):
    return Appointment(
        booking_id=name,
        user_id=user or f"user of {name}",
        conversation_id="c1",
        starts_at=start,
        minutes=minutes,
        way=Way.CHAT,
        cells=CALENDAR.cells(start, minutes),
        created_at=NOW,
        updated_at=NOW,
        expire_at=start + KEPT_AFTER,
        **rest,
    )


def stored(results):
    return [one for one in results if isinstance(one, Appointment)]


async def taken(appointments):
    return await appointments.taken(THREE - dt.timedelta(hours=6), THREE + dt.timedelta(hours=6))


async def test_a_booking_is_listed_and_takes_its_cells_and_a_cancelled_one_frees_them(appointments):
    booked = await appointments.book(appointment("b1", note="잠", user="u1"), 1)
    assert await appointments.of_user("u1") == (booked,)
    assert await taken(appointments) == dict.fromkeys(booked.cells, 1)
    cancelled = await appointments.cancel("u1", "b1", LATER)
    assert (cancelled.booked, cancelled.sequence, cancelled.note) == (False, 1, "잠")
    assert await appointments.cancel("u1", "b1", LATER) == cancelled, "repeated"
    assert await taken(appointments) == {}
    assert stored([await appointments.book(appointment("b2"), 1)])


async def test_only_the_cells_of_the_time_asked_for_are_counted(appointments):
    await appointments.book(appointment("b1", minutes=30), 1)
    assert list(await appointments.taken(THREE, THREE + dt.timedelta(minutes=20))) == [
        THREE,
        THREE + dt.timedelta(minutes=10),
    ]


async def test_a_retried_booking_is_stored_once(appointments):
    wanted = appointment("b1")
    results = await asyncio.gather(*(appointments.book(wanted, 2) for _ in range(4)))
    assert len(set(results)) == 1
    assert await taken(appointments) == dict.fromkeys(wanted.cells, 1)


@pytest.mark.parametrize("seats", [1, 3])
async def test_of_many_that_confirm_one_time_at_once_as_many_are_booked_as_there_are_seats(appointments, seats):
    results = await asyncio.gather(*(appointments.book(appointment(f"b{n}"), seats) for n in range(8)))
    assert sorted(one.seat for one in stored(results)) == list(range(seats))
    assert [one for one in results if not isinstance(one, Appointment)] == [Problem.TAKEN] * (8 - seats)


async def test_overlapping_lengths_collide_and_the_pause_counts(appointments):
    starts = [(THREE, 80), (THREE + HALF, 30), (THREE + 2 * HALF, 50), (THREE + 3 * HALF, 30), (THREE - HALF, 30)]
    for start, minutes in starts:
        result = await appointments.book(appointment(f"{start:%H%M}", start, minutes), 1)
        # 80 minutes and the pause end at 16:30; 30 minutes from 14:30 would need their pause at 15:00.
        assert isinstance(result, Appointment) == (start in (THREE, THREE + 3 * HALF)), start


async def test_overlapping_confirmations_at_once_never_share_a_cell_of_a_seat(appointments):
    wanted = [appointment(f"b{n}", THREE + HALF * (n % 4), (30, 50, 80)[n % 3]) for n in range(12)]
    results = stored(await asyncio.gather(*(appointments.book(one, 2) for one in wanted)))
    assert results
    cells = [(cell, one.seat) for one in results for cell in one.cells]
    assert len(cells) == len(set(cells))


async def test_a_user_has_no_two_appointments_at_once_whatever_seats_are_free(appointments):
    results = await asyncio.gather(*(appointments.book(appointment(f"b{n}", user="u1"), 5) for n in range(3)))
    assert len(stored(results)) == 1
    assert results.count(Problem.OWN_OVERLAP) == 2


class TestMoving:
    async def test_the_old_time_is_free_and_the_new_one_taken(self, appointments):
        first = await appointments.book(appointment("b1", user="u1"), 1)
        moved = await appointments.move(appointment("b1", THREE + 4 * HALF, user="u1"), 1)
        assert (moved.starts_at, moved.sequence) == (THREE + 4 * HALF, 1)
        assert await taken(appointments) == dict.fromkeys(moved.cells, 1)
        assert await appointments.move(moved, 1) == moved, "repeated: nothing changes"
        assert await appointments.of_user("u1") == (moved,)
        assert stored([await appointments.book(appointment("b2", first.starts_at), 1)])

    async def test_it_may_overlap_its_own_old_time(self, appointments):
        await appointments.book(appointment("b1", user="u1"), 1)
        moved = await appointments.move(appointment("b1", THREE + HALF, user="u1"), 1)
        assert await taken(appointments) == dict.fromkeys(moved.cells, 1)

    async def test_a_taken_time_leaves_it_as_it_was(self, appointments):
        first = await appointments.book(appointment("b1", user="u1"), 1)
        await appointments.book(appointment("b2", THREE + 2 * HALF), 1)
        assert await appointments.move(appointment("b1", THREE + HALF, user="u1"), 1) is Problem.TAKEN
        assert await appointments.of_user("u1") == (first,)
        other = await appointments.move(appointment("b1", THREE + HALF, user="u1"), 2)
        assert other.seat == 1, "a free seat"

    async def test_only_ones_own_booked_appointment_is_moved_or_cancelled(self, appointments):
        await appointments.book(appointment("b1", user="u1"), 1)
        assert await appointments.move(appointment("b1", THREE + HALF, user="u2"), 1) is Problem.NO_BOOKING
        assert await appointments.move(appointment("b9", user="u1"), 1) is Problem.NO_BOOKING
        assert await appointments.cancel("u2", "b1", LATER) is None
        await appointments.cancel("u1", "b1", LATER)
        assert await appointments.move(appointment("b1", THREE + HALF, user="u1"), 1) is Problem.NO_BOOKING

    async def test_two_that_move_to_one_time_at_once_do_not_both_get_it(self, appointments):
        for n in range(2):
            await appointments.book(appointment(f"b{n}", THREE + 6 * HALF * n, user=f"u{n}"), 1)
        moves = (appointments.move(appointment(f"b{n}", THREE + 3 * HALF, user=f"u{n}"), 1) for n in range(2))
        results = await asyncio.gather(*moves)
        assert len(stored(results)) == 1
        assert Problem.TAKEN in results


async def test_a_user_has_five_open_appointments_at_most_also_when_they_confirm_many_at_once(appointments):
    wanted = [appointment(f"b{n}", THREE + 4 * HALF * n, user="u1") for n in range(MOST_OPEN + 3)]
    results = await asyncio.gather(*(appointments.book(one, 1) for one in wanted))
    assert (len(stored(results)), results.count(Problem.TOO_MANY)) == (MOST_OPEN, 3)
    first = stored(results)[0]
    assert await appointments.book(first, 1) == first, "repeated"
    await appointments.cancel("u1", first.booking_id, LATER)
    assert stored([await appointments.book(appointment("again", first.starts_at, user="u1"), 1)])
    late = appointment("late", THREE + dt.timedelta(days=14), user="u1")
    late = late.model_copy(update={"created_at": late.starts_at - HALF})
    assert stored([await appointments.book(late, 1)]), "what has ended does not count"


async def test_nothing_is_booked_for_a_user_who_was_erased(database):
    with pytest.raises(StoreUnavailable):
        await DocumentAppointments(database).book(appointment("b1", user="u1"), 1)
    assert await database.tree("appointments") == []


async def test_erasing_a_user_frees_the_time_and_leaves_others(appointments, database):
    await appointments.book(appointment("b1", user="u1"), 2)
    await appointments.book(appointment("b2", THREE + 4 * HALF, user="u1"), 2)
    other = await appointments.book(appointment("b3", user="u2"), 2)
    assert await erase_everything(DocumentConversationStore(database, Session), "u1") is not None
    assert (await appointments.of_user("u1"), await appointments.of_user("u2")) == ((), (other,))
    assert await taken(appointments) == dict.fromkeys(other.cells, 1)


async def test_an_appointment_that_is_moved_while_its_user_is_erased_leaves_no_cell(appointments, database):
    await appointments.book(appointment("b1", user="u1"), 1)
    moving = appointments.move(appointment("b1", THREE + 4 * HALF, user="u1"), 1)
    await asyncio.gather(erase_everything(DocumentConversationStore(database, Session), "u1"), moving)
    assert await taken(appointments) == {}
