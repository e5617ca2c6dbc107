"""`TaskQueue` on one machine, with the behaviour of Cloud Tasks."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Self

from pydantic import BaseModel, ValidationError

from local.embedded.backlog import Backlog, Job, Table
from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile
from shared.contracts.tasks import JobKind, TaskPayload
from shared.ports.clock import Clock

DeliverTask = Callable[[JobKind, dict[str, str], bytes], Awaitable[int]]


class _Queued(BaseModel):
    """A task as it is kept, with the headers that it carries."""

    task: TaskPayload
    headers: dict[str, str] = {}

    @classmethod
    def read(cls, kept: str) -> Self:
        """Read what was kept; files of before hold the bare task."""
        try:
            return cls.model_validate_json(kept)
        except ValidationError:
            return cls(task=TaskPayload.model_validate_json(kept))


class EmbeddedTaskQueue:
    """Tasks that outlive the process.

    A used name is refused until a day after its task was done or given up: the longest that Cloud Tasks keeps it.
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
        """Make a queue that accepts tasks; `start` delivers them.

        Args:
            file: Where tasks are kept.
            deliver: Posts headers and body to the function of the task's kind and returns the HTTP status.
            clock: Decides what is due.
            policy: Retries, backoff and the limit at a time.
            name: Told to handlers in `X-CloudTasks-QueueName`.
            headers: Asked at every task for headers that it carries, e.g. `traceparent`; none by default.
        """
        self._backlog = Backlog(file, Table.TASKS)
        self._deliver = deliver
        self._clock = clock
        self._name = name
        self._headers = headers
        self._loop = DeliveryLoop(self._backlog, self._send, clock, policy or DeliveryPolicy())

    async def enqueue(self, payload: TaskPayload, *, delay: timedelta = timedelta(0)) -> bool:
        """Add a task, to be delivered no earlier than after `delay`.

        Returns:
            False when a task of that name exists or was done before.

        Raises:
            StoreUnavailable: The file is locked, full, unreadable or closed.
        """
        queued = _Queued(task=payload, headers=dict(self._headers()))
        added = await self._backlog.add(payload.name, queued.model_dump_json(), self._clock.now() + delay)
        self._loop.wake()
        return added

    def start(self) -> None:
        """Begin to deliver, first what an earlier process left."""
        self._loop.start()

    async def stop(self, grace_s: float = 10.0) -> None:
        """Start nothing more, wait for what is under way at most `grace_s` seconds, then cancel it."""
        await self._loop.stop(grace_s)

    def wake(self) -> None:
        """Look for due tasks now, e.g. because a test has moved the clock."""
        self._loop.wake()

    async def idle(self) -> None:
        """Wait until no task is due, under way or waiting for a retry."""
        await self._loop.idle()

    async def _send(self, job: Job) -> int:
        queued = _Queued.read(job.payload)
        headers = {
            **queued.headers,
            "Content-Type": "application/json",
            "X-CloudTasks-QueueName": self._name,
            "X-CloudTasks-TaskName": job.id,
            "X-CloudTasks-TaskRetryCount": str(job.attempts),
            "X-CloudTasks-TaskExecutionCount": str(job.responses),
        }
        return await self._deliver(queued.task.kind, headers, queued.task.model_dump_json().encode())
