"""Pending deliveries, in the tables `tasks` and `outbox` of the SQLite file."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Protocol, TypeVar

from local.embedded.sqlite_file import Row, SqliteFile
from local.embedded.values import timestamp


class Table(StrEnum):
    """The kind of deliveries."""

    TASKS = "tasks"
    """Tasks of the queue."""
    OUTBOX = "outbox"
    """Events of created documents."""


class Unanswered(Enum):
    """Why an attempt has no HTTP status."""

    LATE = "late"
    """There was no answer before the deadline."""
    BROKEN = "broken"
    """There was no listener, or the connection broke."""


Outcome = int | Unanswered
"""Result of an attempt: an HTTP status, or why there is none."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Something to deliver.

    Attributes:
        attempts: Attempts that did not succeed so far.
        deadline_s: Seconds that one attempt may take, if this delivery has a limit of its own.
    """

    id: str
    due_at: datetime
    attempts: int
    deadline_s: float | None = None


D = TypeVar("D", bound=Delivery)


@dataclass(frozen=True, kw_only=True)
class Job(Delivery):
    """A pending delivery of a `Backlog`.

    Attributes:
        responses: Attempts that were answered with anything but a 5xx.
    """

    payload: str
    responses: int


class Deliveries(Protocol[D]):
    """The backlog of a delivery loop. Raises `StoreUnavailable`."""

    async def earliest(self, limit: int, leave_out: Collection[str]) -> list[D]:
        """Return the pending deliveries in order of their due time, also future ones."""
        ...

    async def newest(self, now: datetime, limit: int, leave_out: Collection[str]) -> list[D]:
        """Return the pending deliveries: due ones newest first, then the others in order of their due time."""
        ...

    async def begin(self, job: D, now: datetime, /) -> D | None:
        """Start an attempt; None if there is nothing to deliver any more."""
        ...

    async def unsettled(self, now: datetime) -> bool:
        """Whether a delivery is due, running or waiting for its retry."""
        ...

    async def postpone(self, job: D, now: datetime, outcome: Outcome, /, *, due_at: datetime) -> None:
        """Record a failed attempt and the time of the next."""
        ...

    async def finish(self, job: D, now: datetime, /, *, done: bool) -> None:
        """Record that there will be no other attempt."""
        ...

    async def purge(self, now: datetime, keep: timedelta) -> None:
        """Delete the deliveries that ended `keep` ago."""
        ...


class Backlog:
    """Pending, done and failed deliveries of one table. Raises `StoreUnavailable`."""

    def __init__(self, file: SqliteFile, table: Table) -> None:
        self._file = file
        self._table = table

    async def add(self, job_id: str, payload: str, due_at: datetime) -> bool:
        """Add a delivery; False if the id is used, also by an ended one."""
        statement = "INSERT INTO {} (id, payload, due_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1"
        return bool(await self._run(statement, job_id, payload, timestamp(due_at)))

    async def earliest(self, limit: int, leave_out: Collection[str]) -> list[Job]:
        """See `Deliveries`."""
        return await self._pending("due_at, rowid", limit, leave_out)

    async def newest(self, now: datetime, limit: int, leave_out: Collection[str]) -> list[Job]:
        """See `Deliveries`."""
        order = "due_at > ?, CASE WHEN due_at <= ? THEN -rowid END, due_at, rowid"
        return await self._pending(order, limit, leave_out, timestamp(now), timestamp(now))

    async def begin(self, job: Job, now: datetime) -> Job | None:
        """See `Deliveries`; attempts that never end are not counted."""
        return job

    async def unsettled(self, now: datetime) -> bool:
        """See `Deliveries`; deliveries scheduled for later do not count."""
        statement = "SELECT 1 FROM {} WHERE state = 'pending' AND (due_at <= ? OR attempts > 0) LIMIT 1"
        return bool(await self._run(statement, timestamp(now)))

    async def postpone(self, job: Job, now: datetime, outcome: Outcome, *, due_at: datetime) -> None:
        """See `Deliveries`."""
        answered = isinstance(outcome, int) and outcome < 500
        statement = "UPDATE {} SET attempts = attempts + 1, responses = responses + ?, due_at = ? WHERE id = ?"
        await self._run(statement, int(answered), timestamp(due_at), job.id)

    async def finish(self, job: Job, now: datetime, *, done: bool) -> None:
        """See `Deliveries`. A task's id stays used; a delivered event is deleted."""
        if done and self._table is Table.OUTBOX:
            await self._run("DELETE FROM {} WHERE id = ?", job.id)
            return
        statement = "UPDATE {} SET state = ?, attempts = attempts + 1, finished_at = ? WHERE id = ?"
        await self._run(statement, "done" if done else "failed", timestamp(now), job.id)

    async def purge(self, now: datetime, keep: timedelta) -> None:
        """See `Deliveries`; the ids may be used again."""
        await self._run("DELETE FROM {} WHERE finished_at < ?", timestamp(now - keep))

    async def _pending(self, order: str, limit: int, leave_out: Collection[str], *ordering: object) -> list[Job]:
        statement = """
            SELECT id, payload, due_at, attempts, responses FROM {}
            WHERE state = 'pending' AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY
        """
        found = await self._run(f"{statement} {order} LIMIT ?", json.dumps(list(leave_out)), *ordering, limit)
        return [_job(row) for row in found]

    async def _run(self, statement: str, *parameters: object) -> list[Row]:
        return await self._file.fetch(statement.format(self._table.value), parameters)


def _job(row: Row) -> Job:
    due_at = datetime.fromisoformat(row[2])
    return Job(id=row[0], payload=row[1], due_at=due_at, attempts=row[3], responses=row[4])
