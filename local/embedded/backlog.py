"""Deliveries that are still to be made, in the tables `tasks` and `outbox` of the SQLite file."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Protocol, TypeVar

from local.embedded.sqlite_file import Row, SqliteFile
from local.embedded.values import timestamp


class Table(StrEnum):
    """Who the deliveries are for."""

    TASKS = "tasks"
    """Tasks of the queue."""
    OUTBOX = "outbox"
    """Events of created documents."""


class Unanswered(Enum):
    """Why an attempt has no HTTP status."""

    LATE = "late"
    """There was no answer before the deadline."""
    BROKEN = "broken"
    """Nobody listened, or the connection broke."""


Outcome = int | Unanswered
"""How an attempt ended: the HTTP status of the answer, or why there is none."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Something to deliver.

    Attributes:
        attempts: Attempts that did not succeed so far.
        first_attempt_at: When the first of them began, where that is kept.
        deadline_s: Seconds that one attempt may take, if this delivery has a limit of its own.
    """

    id: str
    due_at: datetime
    attempts: int
    first_attempt_at: datetime | None = None
    deadline_s: float | None = None


D = TypeVar("D", bound=Delivery)


@dataclass(frozen=True, kw_only=True)
class Job(Delivery):
    """One pending delivery of a `Backlog`.

    Attributes:
        responses: Attempts that were answered with anything but a 5xx.
    """

    payload: str
    responses: int


class Deliveries(Protocol[D]):
    """What a delivery loop works off, whatever it is kept in. Raises `StoreUnavailable`."""

    async def earliest(self, limit: int, leave_out: Collection[str]) -> list[D]:
        """Return the pending deliveries that are due first, whether the time has come or not."""
        ...

    async def newest(self, now: datetime, limit: int, leave_out: Collection[str]) -> list[D]:
        """Return the pending deliveries: of those due now the newest first, then the others as they fall due."""
        ...

    async def begin(self, job: D, now: datetime, /) -> D | None:
        """Let an attempt begin; None when there is nothing to deliver any more."""
        ...

    async def unsettled(self, now: datetime) -> bool:
        """Whether a delivery is due, under way or waiting for its retry."""
        ...

    async def postpone(self, job: D, now: datetime, outcome: Outcome, /, *, due_at: datetime) -> None:
        """Note a failed attempt and the time of the next."""
        ...

    async def finish(self, job: D, now: datetime, /, *, done: bool) -> None:
        """Note that there will be no other attempt."""
        ...

    async def purge(self, now: datetime, keep: timedelta) -> None:
        """Forget the deliveries that were over `keep` ago."""
        ...


class Backlog:
    """The pending, done and failed deliveries of one table. Raises `StoreUnavailable`."""

    def __init__(self, file: SqliteFile, table: Table) -> None:
        self._file = file
        self._table = table

    async def add(self, job_id: str, payload: str, due_at: datetime) -> bool:
        """Add a delivery; False when the id is taken, be it by one that is over."""
        statement = "INSERT INTO {} (id, payload, due_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1"
        return bool(await self._run(statement, job_id, payload, timestamp(due_at)))

    async def earliest(self, limit: int, leave_out: Collection[str]) -> list[Job]:
        """Return the pending deliveries that are due first, whether the time has come or not."""
        return await self._pending("due_at, rowid", limit, leave_out)

    async def newest(self, now: datetime, limit: int, leave_out: Collection[str]) -> list[Job]:
        """Return the pending deliveries: of those due now the newest first, then the others as they fall due."""
        order = "due_at > ?, CASE WHEN due_at <= ? THEN -rowid END, due_at, rowid"
        return await self._pending(order, limit, leave_out, timestamp(now), timestamp(now))

    async def begin(self, job: Job, now: datetime) -> Job | None:
        """Let an attempt begin; attempts that never end are not counted here."""
        return job

    async def unsettled(self, now: datetime) -> bool:
        """Whether a delivery is due, under way or waiting for its retry; those scheduled for later don't count."""
        statement = "SELECT 1 FROM {} WHERE state = 'pending' AND (due_at <= ? OR attempts > 0) LIMIT 1"
        return bool(await self._run(statement, timestamp(now)))

    async def postpone(self, job: Job, now: datetime, outcome: Outcome, *, due_at: datetime) -> None:
        """Note a failed attempt and the time of the next."""
        answered = isinstance(outcome, int) and outcome < 500
        statement = "UPDATE {} SET attempts = attempts + 1, responses = responses + ?, due_at = ? WHERE id = ?"
        await self._run(statement, int(answered), timestamp(due_at), job.id)

    async def finish(self, job: Job, now: datetime, *, done: bool) -> None:
        """Note that there will be no other attempt. A task's id stays taken; a delivered event is forgotten."""
        if done and self._table is Table.OUTBOX:
            await self._run("DELETE FROM {} WHERE id = ?", job.id)
            return
        statement = "UPDATE {} SET state = ?, attempts = attempts + 1, finished_at = ? WHERE id = ?"
        await self._run(statement, "done" if done else "failed", timestamp(now), job.id)

    async def purge(self, now: datetime, keep: timedelta) -> None:
        """Forget the deliveries that were over `keep` ago: their ids may be used again."""
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
