"""The emulator's SQLite tables, and the queues in them."""

import aiosqlite
from google.cloud.tasks_v2.types import Queue

from local.embedded.sqlite_file import Schema, SqliteFile, rows

# Queues and tasks are stored as their messages; the other columns are searched and counted.
SCHEMA = Schema(
    1,
    """
CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, message BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS tasks (
  name TEXT PRIMARY KEY, queue TEXT NOT NULL, message BLOB NOT NULL, due_at TEXT NOT NULL, created_at TEXT NOT NULL,
  dispatches INTEGER NOT NULL DEFAULT 0, executions INTEGER NOT NULL DEFAULT 0, previous INTEGER,
  state TEXT NOT NULL DEFAULT 'pending', finished_at TEXT
);
CREATE INDEX IF NOT EXISTS tasks_by_due ON tasks (queue, state, due_at);
""",
)

_PUT = "INSERT INTO queues (name, message) VALUES (?, ?) ON CONFLICT DO UPDATE SET message = excluded.message"


class QueueStore:
    """All queues. Raises `StoreUnavailable`."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    async def all(self) -> list[Queue]:
        """Return the queues by name."""
        found = await self._file.fetch("SELECT message FROM queues ORDER BY name")
        return [Queue.deserialize(row[0]) for row in found]

    async def put(self, queue: Queue) -> None:
        """Add or replace a queue."""
        await self._file.fetch(_PUT, (queue.name, Queue.serialize(queue)))

    async def remove(self, name: str) -> None:
        """Delete a queue, its tasks and their names."""

        async def remove(connection: aiosqlite.Connection) -> None:
            await rows(connection, "DELETE FROM tasks WHERE queue = ?", (name,))
            await rows(connection, "DELETE FROM queues WHERE name = ?", (name,))

        await self._file.transact(remove)
