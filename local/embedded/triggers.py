"""Delivers the events of created documents as Eventarc delivers Firestore's."""

import json
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from local.embedded.backlog import Backlog, Job, Table
from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.outbox import CreatedEvent, Outbox
from local.embedded.sqlite_file import SqliteFile
from shared.ports.clock import Clock

DeliverEvent = Callable[[str, dict[str, str], bytes], Awaitable[int]]

CREATED = "google.cloud.firestore.document.v1.created"
_DATABASE = "(default)"
# header values are printable ASCII without space, quote and percent:
# https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#3132-http-header-values
_HEADER_SAFE = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"%')


class TriggerDispatcher:
    """Sends each event of the outbox to the handler of its trigger, at least once, in no promised order."""

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
        """Make a dispatcher that wakes with each event; `start` delivers.

        Args:
            file: The file of the database that `outbox` belongs to.
            outbox: Whose events to deliver.
            deliver: Posts headers and body to the handler of the trigger id and returns the HTTP status.
            clock: Decides what is due.
            project: Named in the events' source.
            policy: Retries, backoff and the limit at a time.
        """
        self._deliver = deliver
        self._project = project
        self._loop = DeliveryLoop(Backlog(file, Table.OUTBOX), self._send, clock, policy or DeliveryPolicy())
        outbox.subscribe(self._loop.wake)

    def start(self) -> None:
        """Begin to deliver, first what an earlier process left."""
        self._loop.start()

    async def stop(self, grace_s: float = 10.0) -> None:
        """Start nothing more, wait for what is under way at most `grace_s` seconds, then cancel it."""
        await self._loop.stop(grace_s)

    def wake(self) -> None:
        """Look for due events now, e.g. because a test has moved the clock."""
        self._loop.wake()

    async def idle(self) -> None:
        """Wait until no event is due, under way or waiting for a retry."""
        await self._loop.idle()

    async def _send(self, job: Job) -> int:
        event = CreatedEvent.from_json(job.payload)
        return await self._deliver(event.trigger_id, self._headers(job.id, event), self._body(event))

    def _headers(self, event_id: str, event: CreatedEvent) -> dict[str, str]:
        return {
            "content-type": "application/json",
            "ce-specversion": "1.0",
            "ce-id": quote(event_id, safe=_HEADER_SAFE),
            "ce-type": CREATED,
            "ce-source": f"//firestore.googleapis.com/projects/{self._project}/databases/{_DATABASE}",
            "ce-subject": quote(f"documents/{event.path}", safe=_HEADER_SAFE),
            "ce-time": event.time,
            "ce-document": quote(event.path, safe=_HEADER_SAFE),
            "ce-database": _DATABASE,
            "ce-namespace": _DATABASE,
            "ce-project": self._project,
        }

    def _body(self, event: CreatedEvent) -> bytes:
        # handlers read the document from the store, so the body only names it
        name = f"projects/{self._project}/databases/{_DATABASE}/documents/{event.path}"
        return json.dumps({"value": {"name": name}}).encode()
