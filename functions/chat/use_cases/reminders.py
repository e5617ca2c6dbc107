"""Reminds users of their booked sessions, by a task that the queue holds until then."""

import datetime as dt
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from shared.contracts.tasks import TaskPayload, reminder_task
from shared.domain.booking.appointment import Appointment
from shared.engine.jobs import JobResult
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.appointments import Appointments
from shared.ports.clock import Clock
from shared.ports.task_queue import TaskQueue

log = logging.getLogger(__name__)

LONGEST_WAIT = dt.timedelta(days=29)
"""Cloud Tasks holds a task for 30 days at most; a later reminder is enqueued again on the way."""

BookingReminder = Callable[[Appointment], Awaitable[None]]
"""The hook `booking_reminder`: tells the user, for example by a push message."""


async def log_reminder(appointment: Appointment) -> None:
    """Write the log line that an operator's messenger can listen to; it has no words of the user and no number."""
    log_event(log, LogEvent.BOOKING_REMINDER, conversation=appointment.conversation_id)


@dataclass(frozen=True)
class Reminders:
    """Schedules and sends reminders.

    Attributes:
        before: How long before its start a session is reminded of.
    """

    appointments: Appointments
    queue: TaskQueue
    clock: Clock
    before: dt.timedelta
    remind: BookingReminder = log_reminder

    async def schedule(self, booking_id: str) -> None:
        """Enqueue the reminder of a booking, unless it is too late for one.

        Raises:
            StoreUnavailable: The calendar or the queue does not answer.
        """
        appointment = await self.appointments.find(booking_id)
        if appointment is not None and appointment.booked:
            await self._enqueue(reminder_task(booking_id, appointment.sequence), appointment)

    async def carry_out(self, payload: TaskPayload) -> JobResult:
        """Remind of the booking of a task; moot if it was cancelled, changed or has begun.

        Raises:
            StoreUnavailable: The calendar or the queue does not answer; the task is retried.
        """
        appointment = await self.appointments.find(payload.conversation_id)
        if appointment is None or not appointment.booked or appointment.sequence != payload.seq:
            return JobResult.MOOT
        now = self.clock.now()
        if now >= appointment.starts_at:
            return JobResult.MOOT
        if now < appointment.starts_at - self.before:
            await self._enqueue(payload.model_copy(update={"again": payload.again + 1, "attempt": 1}), appointment)
            return JobResult.DONE
        await self.remind(appointment)
        return JobResult.DONE

    async def _enqueue(self, task: TaskPayload, appointment: Appointment) -> None:
        wait = appointment.starts_at - self.before - self.clock.now()
        if wait > dt.timedelta(0):
            await self.queue.enqueue(task, delay=min(wait, LONGEST_WAIT))
