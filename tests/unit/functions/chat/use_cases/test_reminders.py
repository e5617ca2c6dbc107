"""A booked session is reminded of once, at the right time, and not after a change or a cancellation."""

import datetime as dt

import pytest

from functions.chat.use_cases.reminders import LONGEST_WAIT, Reminders
from shared.contracts.tasks import JobKind
from shared.domain.ids import UserId
from shared.engine.jobs import JobResult
from tests.builders.appointments import AnyonesAppointments, appointment
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.settable_clock import SettableClock

BEFORE = dt.timedelta(hours=3)
USER = UserId("u1")


class World:
    def __init__(self):
        self.clock, self.queue, self.told = SettableClock(), MemoryTaskQueue(), []
        self.appointments = AnyonesAppointments(MemoryDocumentDatabase())
        self.reminders = Reminders(self.appointments, self.queue, self.clock, BEFORE, self._tell)

    async def _tell(self, booked):
        self.told.append(booked.booking_id)

    async def book(self, name="b1", **ahead):
        start = self.clock.now() + dt.timedelta(**ahead)
        booked = await self.appointments.book(appointment(USER, start, name=name, now=self.clock.now()), 1)
        await self.reminders.schedule(booked.booking_id)
        return booked

    async def deliver(self):
        """Deliver the newest task when it is due."""
        newest = self.queue.tasks[-1]
        self.clock.advance(newest.delay.total_seconds())
        return await self.reminders.carry_out(newest.payload)


@pytest.fixture
def world():
    return World()


async def test_is_sent_so_long_before_the_session(world):
    booked = await world.book(days=2)
    assert await world.deliver() is JobResult.DONE
    assert (world.told, world.clock.now()) == ([booked.booking_id], booked.starts_at - BEFORE)
    assert world.queue.payloads[-1].kind is JobKind.REMIND


async def test_of_a_session_months_away_is_enqueued_again_on_the_way(world):
    booked = await world.book(days=50)
    assert world.queue.tasks[-1].delay == LONGEST_WAIT
    await world.deliver()
    assert world.told == []
    await world.deliver()
    assert (world.told, len({task.name for task in world.queue.payloads})) == ([booked.booking_id], 2)


async def test_is_moot_once_the_session_was_cancelled_changed_or_has_begun(world):
    booked = await world.book(days=2)
    task = world.queue.payloads[-1]
    assert await world.reminders.carry_out(task.model_copy(update={"seq": booked.sequence + 1})) is JobResult.MOOT
    world.clock.advance(dt.timedelta(days=3).total_seconds())
    assert await world.reminders.carry_out(task) is JobResult.MOOT
    booked = await world.book(days=2, name="b2")
    await world.appointments.cancel(USER, booked.booking_id, world.clock.now())
    assert await world.deliver() is JobResult.MOOT
    assert world.told == []


async def test_is_not_enqueued_when_the_session_is_nearer_than_that(world):
    await world.book(hours=2)
    assert world.queue.tasks == []
