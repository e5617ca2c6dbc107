"""The SQLite file of a data directory: connection, pragmas, schema, transactions, errors."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import aiosqlite

from local.embedded.directory_lock import LOCK, DirectoryLock
from shared.domain.errors import ConfigError, StoreUnavailable

T = TypeVar("T")
Row = tuple[Any, ...]

_BUSY_TIMEOUT_S = 5.0

# TRUNCATE: each commit is in the file itself, so a copy of the one file is whole. A write-ahead log would hold the
# last commits beside it, and a copy without the log starts with none of them. Readers block a commit, but one
# connection does all the work. secure_delete: deleted text must not stay in free pages. FULL: under NORMAL a power cut
# may lose the last commits or the file. A turn commits once or twice and waits seconds for the model, so some fsyncs
# each are cheap.
# https://www.sqlite.org/pragma.html#pragma_synchronous
_PRAGMAS = ("journal_mode = TRUNCATE", "synchronous = FULL", "secure_delete = ON")


@dataclass(frozen=True)
class Schema:
    """The tables of a file.

    Attributes:
        version: Stored as `user_version`; a file with a higher one was written by a newer program.
        tables: Statements that create missing tables.
    """

    version: int
    tables: str


MACHINE = Schema(
    1,
    """
CREATE TABLE IF NOT EXISTS documents (
  path TEXT PRIMARY KEY, collection TEXT NOT NULL, data TEXT NOT NULL, version INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS documents_by_collection ON documents (collection, path);
CREATE TABLE IF NOT EXISTS versions (last INTEGER NOT NULL);
INSERT INTO versions SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM versions);
CREATE TABLE IF NOT EXISTS tasks (
  id TEXT PRIMARY KEY, payload TEXT NOT NULL, due_at TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  responses INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'pending', finished_at TEXT
);
CREATE INDEX IF NOT EXISTS tasks_by_due ON tasks (state, due_at);
CREATE TABLE IF NOT EXISTS outbox (
  id TEXT PRIMARY KEY, payload TEXT NOT NULL, due_at TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  responses INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL DEFAULT 'pending', finished_at TEXT
);
CREATE INDEX IF NOT EXISTS outbox_by_due ON outbox (state, due_at);
""",
)
"""Tables of the local machine: documents, tasks, and events to deliver."""


class SqliteFile:
    """One connection, used by one coroutine at a time.

    Reads take the same lock as transactions, or they would see half of one.
    """

    def __init__(self, connection: aiosqlite.Connection, lock: DirectoryLock | None) -> None:
        self._connection = connection
        self._directory_lock = lock
        self._turn = asyncio.Lock()
        self._open = True

    @classmethod
    async def open(cls, path: Path, *, exclusive: bool = True, schema: Schema = MACHINE) -> Self:
        """Open the file; create it and its directory if missing.

        Args:
            path: The file.
            exclusive: Hold the directory's lock until `aclose`, as a server must, since it alone may deliver tasks.
            schema: Its tables.

        Raises:
            ConfigError: The directory is in use or not writable, or the file is not ours or was truncated.
            StoreUnavailable: Another process keeps it locked.
        """
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _refuse_a_cut_file(path)
            lock = DirectoryLock(path.parent) if exclusive else None
        except OSError as error:
            raise ConfigError(f"data directory {path.parent} cannot be used: {error.strerror}") from error
        try:
            return cls(await _connect(path, schema), lock)
        except BaseException:
            if lock:
                lock.release()
            raise

    async def aclose(self) -> None:
        """Finish running work, close the file and release the lock; safe to repeat."""
        async with self._turn:
            if self._open:
                self._open = False
                try:
                    await self._connection.close()
                finally:
                    if self._directory_lock:
                        self._directory_lock.release()

    async def fetch(self, sql: str, parameters: Mapping[str, object] | Sequence[object] = ()) -> list[Row]:
        """Run one statement, which is atomic, and return its rows.

        Raises:
            StoreUnavailable: Locked, disk full, unreadable, or closed.
        """
        async with self._turn:
            self._check_open()
            with _translated():
                return await rows(self._connection, sql, parameters)

    async def transact(self, work: Callable[[aiosqlite.Connection], Awaitable[T]]) -> T:
        """Run `work` in an IMMEDIATE transaction: committed when it returns, rolled back when it raises.

        If the caller is cancelled, the transaction still ends by itself.

        Raises:
            StoreUnavailable: Locked, disk full, unreadable, or closed.
        """
        return await asyncio.shield(asyncio.create_task(self._transact(work)))

    async def _transact(self, work: Callable[[aiosqlite.Connection], Awaitable[T]]) -> T:
        async with self._turn:
            self._check_open()
            with _translated():
                try:
                    await self._connection.execute("BEGIN IMMEDIATE")
                    result = await work(self._connection)
                    await self._connection.commit()
                except BaseException:
                    await self._connection.rollback()
                    raise
                return result

    def _check_open(self) -> None:
        if not self._open:
            raise StoreUnavailable("the database is closed")


async def rows(
    connection: aiosqlite.Connection, sql: str, parameters: Mapping[str, object] | Sequence[object] = ()
) -> list[Row]:
    """Run a statement and return all its rows, with one switch to the connection's thread."""
    # aiosqlite types parameters as Iterable, sqlite3 takes a mapping too
    return [tuple(row) for row in await connection.execute_fetchall(sql, parameters)]


def _refuse_a_cut_file(path: Path) -> None:
    """Refuse an empty file if a server ran before: SQLite would treat it as new, hiding the data loss.

    A server killed within milliseconds of its first start leaves the same; then the file can be deleted without loss.

    Raises:
        ConfigError: The file is empty, and the directory's lock exists.
    """
    if path.is_file() and path.stat().st_size == 0 and (path.parent / LOCK).exists():
        raise ConfigError(
            f"{path} is empty, but a server used it before: it was cut to nothing; restore it from a backup, "
            f"or delete it to start with no data"
        )


async def _connect(path: Path, schema: Schema) -> aiosqlite.Connection:
    try:
        opening = aiosqlite.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
        # else a server that fails before closing the file hangs instead of exiting
        opening._thread.daemon = True  # noqa: SLF001 - aiosqlite offers no option
        connection = await opening
    except sqlite3.Error as error:
        raise ConfigError(f"cannot open {path}: {error}") from error
    try:
        await _prepare(connection, path, schema)
    except BaseException:
        await connection.close()
        raise
    return connection


async def _prepare(connection: aiosqlite.Connection, path: Path, schema: Schema) -> None:
    try:
        ((version,),) = await rows(connection, "PRAGMA user_version")
        if version > schema.version:
            raise ConfigError(f"{path} was written by a newer CBot (schema {version})")
        ((pages,),) = await rows(connection, "PRAGMA page_count")
        if pages and not version:  # tables and version are written in one transaction
            raise ConfigError(
                f"{path} holds none of CBot's tables: it may be a copy of a database without the {path.name}-wal that "
                f"stood beside it; copy both again, or delete it to start with no data"
            )
        for pragma in _PRAGMAS:
            await rows(connection, f"PRAGMA {pragma}")
        await connection.executescript(
            f"BEGIN IMMEDIATE; {schema.tables} PRAGMA user_version = {schema.version}; COMMIT;"
        )
    except sqlite3.OperationalError as error:
        raise StoreUnavailable(f"SQLite: {error}") from error
    except sqlite3.DatabaseError as error:
        raise ConfigError(f"{path} is not a usable database: {error}") from error


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # a programming error, which a retry would not fix
    except sqlite3.DatabaseError as error:
        raise StoreUnavailable(f"SQLite: {error}") from error
