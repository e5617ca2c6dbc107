"""Delivers the events of created documents like Eventarc."""

from collections.abc import Awaitable, Callable

from local.embedded.backlog import Backlog, Job, Table
from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.outbox import CreatedEvent, Outbox
from local.embedded.sqlite_file import SqliteFile
from local.eventarc import DATABASE, Announcement, DocumentName, named
from shared.ports.clock import Clock

DeliverEvent = Callable[[str, dict[str, str], bytes], Awaitable[int]]

LOCATION = "local"
"""Location in the events, since there is no region."""


class TriggerDispatcher:
    """Sends each event of the outbox to the handler of its trigger, at least once, in any order."""

    def __init__(
        self,
        file: SqliteFile,
        outbox: Outbox,
        deliver: DeliverEvent,
        clock: Clock,
        *,
        project: str,
        policy: DeliveryPolicy | None = None,
    ) -> None:
        """Create a dispatcher that wakes with each event; `start` delivers.

        Args:
            file: The file of the database that `outbox` belongs to.
            outbox: The events.
            deliver: Posts headers and body to the handler of the trigger id and returns the HTTP status.
            clock: Decides what is due.
            project: Project in the events.
            policy: Retries, backoff and limits.
        """
        self._deliver = deliver
        self._project = project
        self._loop = DeliveryLoop(Backlog(file, Table.OUTBOX), self._send, clock, policy or DeliveryPolicy())
        outbox.subscribe(self._loop.wake)

    def start(self) -> None:
        """Start delivering, beginning with what an earlier process left."""
        self._loop.start()

    async def stop(self, grace_s: float = 10.0) -> None:
        """See `DeliveryLoop`."""
        await self._loop.stop(grace_s)

    def wake(self) -> None:
        """Look for due events now."""
        self._loop.wake()

    async def idle(self) -> None:
        """Wait until no event is due, running or waiting for a retry."""
        await self._loop.idle()

    async def _send(self, job: Job) -> int:
        event = CreatedEvent.from_json(job.payload)
        document = DocumentName(self._project, DATABASE, event.path)
        announcement = Announcement(job.id, document, event.time, LOCATION)
        return await self._deliver(event.trigger_id, announcement.headers(), named(document))
