"""The tasks of one queue in the emulator's SQLite file; the backlog of its delivery loop."""

import json
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import aiosqlite
from google.cloud.tasks_v2.types import Task

from local.embedded.backlog import Outcome
from local.embedded.sqlite_file import Schema, SqliteFile, rows
from local.embedded.values import timestamp
from local.emulators.tasks.queued_task import QueuedTask, failed

# https://cloud.google.com/tasks/docs/quotas#limits: maximum task retention
LONGEST_LIFE = timedelta(days=31)

# The state of a task is its message, as it is answered; the columns are what is searched and counted.
SCHEMA = Schema(
    1,
    """
CREATE TABLE IF NOT EXISTS tasks (
  name TEXT PRIMARY KEY, queue TEXT NOT NULL, message BLOB NOT NULL, due_at TEXT NOT NULL, created_at TEXT NOT NULL,
  dispatches INTEGER NOT NULL DEFAULT 0, executions INTEGER NOT NULL DEFAULT 0, previous INTEGER,
  state TEXT NOT NULL DEFAULT 'pending', finished_at TEXT
);
CREATE INDEX IF NOT EXISTS tasks_by_due ON tasks (queue, state, due_at);
""",
)

_ADD = """
INSERT INTO tasks (name, queue, message, due_at, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1
"""
_GET = "SELECT message, executions, previous FROM tasks WHERE name = ? AND state = 'pending'"
_PENDING = """
SELECT message, executions, previous FROM tasks
WHERE queue = ? AND state = 'pending' AND name NOT IN (SELECT value FROM json_each(?)) ORDER BY
"""
_END = "UPDATE tasks SET state = ?, message = x'', finished_at = ? WHERE state = 'pending' AND name = ?"
_BEGIN = "UPDATE tasks SET message = ?, dispatches = dispatches + 1 WHERE name = ?"
_POSTPONE = "UPDATE tasks SET message = ?, due_at = ?, executions = executions + ?, previous = ? WHERE name = ?"
_UNSETTLED = "SELECT 1 FROM tasks WHERE queue = ? AND state = 'pending' AND (due_at <= ? OR dispatches > 0) LIMIT 1"
_PURGE = "DELETE FROM tasks WHERE queue = ? AND (finished_at < ? OR (state = 'pending' AND created_at < ?))"


class TaskStore:
    """Pending tasks, and the names of ended ones. Raises `StoreUnavailable`."""

    def __init__(self, file: SqliteFile, queue: str) -> None:
        self._file = file
        self._queue = queue

    async def add(self, task: Task, now: datetime) -> bool:
        """Add a new task; False if its name is used, also by an ended one."""
        due_at = Task.pb(task).schedule_time.ToDatetime(tzinfo=UTC)
        row = (task.name, self._queue, Task.serialize(task), timestamp(due_at), timestamp(now))
        return bool(await self._file.fetch(_ADD, row))

    async def get(self, name: str) -> QueuedTask | None:
        """Return a pending task."""
        found = await self._file.fetch(_GET, (name,))
        return QueuedTask.stored(*found[0]) if found else None

    async def delete(self, name: str, now: datetime) -> bool:
        """Delete a pending task, keeping its name; False if there is none."""
        return bool(await self._file.fetch(f"{_END} RETURNING 1", ("deleted", timestamp(now), name)))

    async def earliest(self, limit: int, leave_out: Collection[str]) -> list[QueuedTask]:
        """See `Deliveries`."""
        return await self._pending("due_at, rowid", limit, leave_out)

    async def newest(self, now: datetime, limit: int, leave_out: Collection[str]) -> list[QueuedTask]:
        """See `Deliveries`."""
        order = "due_at > ?, CASE WHEN due_at <= ? THEN -rowid END, due_at, rowid"
        return await self._pending(order, limit, leave_out, timestamp(now), timestamp(now))

    async def begin(self, job: QueuedTask, now: datetime) -> QueuedTask | None:
        """Record the start of an attempt: it counts even if this process ends first."""

        async def begin(connection: aiosqlite.Connection) -> QueuedTask | None:
            found = await rows(connection, _GET, (job.id,))
            if not found:
                return None
            begun = QueuedTask.stored(*found[0]).begun(now)
            await rows(connection, _BEGIN, (Task.serialize(begun.message), job.id))
            return begun

        return await self._file.transact(begin)

    async def unsettled(self, now: datetime) -> bool:
        """See `Deliveries`; tasks scheduled for later do not count."""
        return bool(await self._file.fetch(_UNSETTLED, (self._queue, timestamp(now))))

    async def postpone(self, job: QueuedTask, now: datetime, outcome: Outcome, *, due_at: datetime) -> None:
        """See `Deliveries`."""
        status = outcome if isinstance(outcome, int) else None
        executed = status is not None and status < 500

        async def postpone(connection: aiosqlite.Connection) -> None:
            found = await rows(connection, _GET, (job.id,))
            if found:
                message = failed(Task.deserialize(found[0][0]), outcome, now, due_at)
                values = (Task.serialize(message), timestamp(due_at), int(executed), status, job.id)
                await rows(connection, _POSTPONE, values)

        await self._file.transact(postpone)

    async def finish(self, job: QueuedTask, now: datetime, *, done: bool) -> None:
        """See `Deliveries`; the name stays used."""
        await self._file.fetch(_END, ("done" if done else "failed", timestamp(now), job.id))

    async def purge(self, now: datetime, keep: timedelta) -> None:
        """Release the names of tasks that ended `keep` ago, and delete tasks that are too old."""
        await self._file.fetch(_PURGE, (self._queue, timestamp(now - keep), timestamp(now - LONGEST_LIFE)))

    async def _pending(self, order: str, limit: int, leave_out: Collection[str], *ordering: object) -> list[QueuedTask]:
        values = (self._queue, json.dumps(list(leave_out)), *ordering, limit)
        return [QueuedTask.stored(*row) for row in await self._file.fetch(f"{_PENDING} {order} LIMIT ?", values)]
