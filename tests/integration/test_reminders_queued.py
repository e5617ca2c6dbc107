"""Reminders in the emulated Cloud Tasks: the queue holds them until their time, and a cancelled session gets none."""

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta

from functions.chat.use_cases.reminders import Reminders
from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from shared.adapters.cloud_tasks import Route, connect, queue_path
from shared.adapters.system_clock import SystemClock
from shared.contracts.tasks import JobKind, TaskPayload
from shared.engine.jobs import JobResult
from tests.builders.appointments import AnyonesAppointments, appointment
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.support.polling import until
from tests.support.task_receiver import TaskReceiver

BEFORE, SOON, TOMORROW = timedelta(hours=3), timedelta(seconds=1), timedelta(days=1)


def schedule_times(file):
    """Return until when the queue holds its tasks, by their names."""
    with closing(sqlite3.connect(file)) as connection:
        found = connection.execute("SELECT name, due_at FROM tasks WHERE state = 'pending'").fetchall()
    return {name.rpartition("/")[2]: datetime.fromisoformat(due_at) for name, due_at in found}


async def test_a_reminder_is_delivered_at_its_schedule_time_and_is_moot_for_a_cancelled_session(tmp_path):
    clock, name, told = SystemClock(), queue_path("p", "l", "q"), []
    file, appointments = tmp_path / "tasks.sqlite3", AnyonesAppointments(MemoryDocumentDatabase())
    soon = clock.now() + BEFORE + SOON
    starts = {"kept": soon, "cancelled": soon, "later": soon + TOMORROW}

    async def tell(booked):
        told.append((booked.booking_id, clock.now()))

    async with (
        TaskReceiver() as receiver,
        TasksEmulator(file, OidcSigner.generated(clock), clock, queues={name: QueueSettings()}) as on,
    ):
        route = Route(queue=name, url=receiver.address, audience=receiver.address)
        queue = connect(dict.fromkeys(JobKind, route), "tasks@p.test", clock, emulator=on.address)
        reminders = Reminders(appointments, queue, clock, BEFORE, tell)
        for booking_id, start in starts.items():
            await appointments.book(appointment(f"user of {booking_id}", start, name=booking_id), 2)
            for _ in range(2):  # before the commit of its turn, and by the hook after it
                await reminders.schedule(booking_id)
        await appointments.cancel("user of cancelled", "cancelled", clock.now())
        await until(lambda: len(receiver.received) == 2, what="the reminders that are due")
        payloads = [TaskPayload.model_validate_json(request.body) for request in receiver.take()]
        results = {task.conversation_id: await reminders.carry_out(task) for task in payloads}
        await on.idle()
        ((held, due),) = schedule_times(file).items()
        await queue.aclose()
    assert results == {"kept": JobResult.DONE, "cancelled": JobResult.MOOT}
    assert [one for one, _ in told] == ["kept"]
    assert told[0][1] >= soon - BEFORE
    assert held == "later-remind-0"
    assert abs(due - (starts["later"] - BEFORE)) < SOON
