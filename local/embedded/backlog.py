"""Deliveries that are still to be made, in the tables `tasks` and `outbox` of the SQLite file."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from local.embedded.sqlite_file import Row, SqliteFile
from local.embedded.values import timestamp


class Table(StrEnum):
    """Who the deliveries are for."""

    TASKS = "tasks"
    """Tasks of the queue."""
    OUTBOX = "outbox"
    """Events of created documents."""


@dataclass(frozen=True)
class Job:
    """One pending delivery.

    Attributes:
        attempts: Deliveries that failed so far.
        responses: Those of them that were answered with anything but a 5xx.
    """

    id: str
    payload: str
    due_at: datetime
    attempts: int
    responses: int


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
        statement = """
            SELECT id, payload, due_at, attempts, responses FROM {}
            WHERE state = 'pending' AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, rowid LIMIT ?
        """
        found = await self._run(statement, json.dumps(list(leave_out)), limit)
        return [Job(row[0], row[1], datetime.fromisoformat(row[2]), row[3], row[4]) for row in found]

    async def unsettled(self, now: datetime) -> bool:
        """Whether a delivery is due, under way or waiting for its retry; those scheduled for later don't count."""
        statement = "SELECT 1 FROM {} WHERE state = 'pending' AND (due_at <= ? OR attempts > 0) LIMIT 1"
        return bool(await self._run(statement, timestamp(now)))

    async def postpone(self, job: Job, *, due_at: datetime, answered: bool) -> None:
        """Note a failed attempt and the time of the next."""
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

    async def _run(self, statement: str, *parameters: object) -> list[Row]:
        return await self._file.fetch(statement.format(self._table.value), parameters)
