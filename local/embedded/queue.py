"""`TaskQueue` on one machine, behaving like Cloud Tasks."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from pydantic import BaseModel

from local.embedded.backlog import Backlog, Job, Table
from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile
from shared.contracts.tasks import JobKind, TaskPayload
from shared.ports.clock import Clock

DeliverTask = Callable[[JobKind, dict[str, str], bytes], Awaitable[int]]


class _Queued(BaseModel):
    """A stored task with its headers."""

    task: TaskPayload
    headers: dict[str, str] = {}


class EmbeddedTaskQueue:
    """Tasks that survive the process.

    A used name is refused until a day after its task ended, the longest that Cloud Tasks keeps it.
    """

    def __init__(
        self,
        file: SqliteFile,
        deliver: DeliverTask,
        clock: Clock,
        *,
        policy: DeliveryPolicy | None = None,
        name: str = "cbot",
        headers: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """Create a queue that accepts tasks; `start` delivers them.

        Args:
            file: Stores the tasks.
            deliver: Posts headers and body to the function of the task's kind and returns the HTTP status.
            clock: Decides what is due.
            policy: Retries, backoff and limits.
            name: Sent to handlers in `X-CloudTasks-QueueName`.
            headers: Called per task for additional headers, e.g. `traceparent`.
        """
        self._backlog = Backlog(file, Table.TASKS)
        self._deliver = deliver
        self._clock = clock
        self._name = name
        self._headers = headers
        self._loop = DeliveryLoop(self._backlog, self._send, clock, policy or DeliveryPolicy())

    async def enqueue(self, payload: TaskPayload, *, delay: timedelta = timedelta(0)) -> bool:
        """Add a task, to be delivered after `delay` at the earliest.

        Returns:
            False if a task of that name exists or was done before.

        Raises:
            StoreUnavailable: The file is locked, full, unreadable or closed.
        """
        queued = _Queued(task=payload, headers=dict(self._headers()))
        added = await self._backlog.add(payload.name, queued.model_dump_json(), self._clock.now() + delay)
        self._loop.wake()
        return added

    def start(self) -> None:
        """Start delivering, beginning with what an earlier process left."""
        self._loop.start()

    async def stop(self, grace_s: float = 10.0) -> None:
        """See `DeliveryLoop`."""
        await self._loop.stop(grace_s)

    def wake(self) -> None:
        """Look for due tasks now."""
        self._loop.wake()

    async def idle(self) -> None:
        """Wait until no task is due, running or waiting for a retry."""
        await self._loop.idle()

    async def _send(self, job: Job) -> int:
        queued = _Queued.model_validate_json(job.payload)
        headers = {
            **queued.headers,
            "Content-Type": "application/json",
            "X-CloudTasks-QueueName": self._name,
            "X-CloudTasks-TaskName": job.id,
            "X-CloudTasks-TaskRetryCount": str(job.attempts),
            "X-CloudTasks-TaskExecutionCount": str(job.responses),
        }
        return await self._deliver(queued.task.kind, headers, queued.task.model_dump_json().encode())
