"""`DocumentDatabase` in one SQLite file."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self, assert_never

import aiosqlite

from local.embedded.document_query import documents_of
from local.embedded.outbox import Outbox
from local.embedded.sqlite_file import SqliteFile, rows
from local.embedded.values import data_from_json, to_json
from shared.domain.errors import DocumentExists, VersionConflict
from shared.ports.document_additions import added, after_addition
from shared.ports.document_database import Nearest, Query
from shared.ports.document_nearness import nearest_of
from shared.ports.document_paths import require_document_path, require_field
from shared.ports.document_writes import Add, Create, Data, Document, Put, Remove, ReplaceDocument, Write, Written

_GET = "SELECT path, data, version FROM documents WHERE path IN (SELECT value FROM json_each(?))"
# one statement, since each needs a switch to the connection's thread
_COUNT_ON = """
UPDATE versions SET last = last + ? RETURNING last, (
  SELECT json_group_object(path, version) FROM documents WHERE path IN (SELECT value FROM json_each(?))
)
"""
_LIST = "SELECT path, data, version FROM documents WHERE collection = ?"
_WRITE = "INSERT OR REPLACE INTO documents (path, collection, data, version) VALUES (?, ?, ?, ?)"
_REMOVE = "DELETE FROM documents WHERE path = ?"
# "0" is the character after "/", so the range is everything below the path, and the primary key finds it
_BELOW = "path = :path OR (path > :path || '/' AND path < :path || '0')"
_TREE = f"SELECT path, data, version FROM documents WHERE {_BELOW} ORDER BY path"  # noqa: S608 - constants
_REMOVE_TREE = f"DELETE FROM documents WHERE {_BELOW} RETURNING 1"  # noqa: S608 - constants


class SqliteDocumentDatabase:
    """Documents in a local file.

    Attributes:
        file: The file, which also holds the queue and the triggers.
    """

    def __init__(self, file: SqliteFile, outbox: Outbox | None = None) -> None:
        self.file = file
        self._outbox = outbox

    @classmethod
    async def open(cls, path: Path, *, outbox: Outbox | None = None, exclusive: bool = True) -> Self:
        """Open the file at `path`; close it with `aclose`, or its thread keeps the process alive.

        Args:
            path: The file; created with its directory if missing.
            outbox: Stores the events of created documents, if they are delivered.
            exclusive: Refuse to share the directory with another server.

        Raises:
            ConfigError: The directory is in use or not writable, or the file is not ours.
            StoreUnavailable: Another process keeps it locked.
        """
        return cls(await SqliteFile.open(path, exclusive=exclusive), outbox)

    async def aclose(self) -> None:
        """Finish running work and close; safe to repeat."""
        await self.file.aclose()

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        """See the port."""
        found = {row[0]: _document(*row) for row in await self.file.fetch(_GET, (json.dumps(list(paths)),))}
        return [found.get(path) for path in paths]

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        """See the port.

        Raises:
            DocumentExists: A `Create` met a document.
            VersionConflict: A `ReplaceDocument` or a `Remove` with a version met another version, or no document.
            StoreUnavailable: Locked, disk full, unreadable, or closed.
            ValueError: A path is no document path, or a datetime has no time zone.
        """
        if not writes:
            return []
        encoded = [_encoded(write) for write in writes]
        written, events = await self.file.transact(lambda connection: self._commit(connection, writes, encoded))
        if events and self._outbox:
            self._outbox.notify()
        return written

    async def query(self, query: Query) -> list[Document]:
        """See the port.

        Raises:
            ValueError: A field cannot be queried.
        """
        return [_document(*row) for row in await documents_of(self.file, query)]

    async def nearest(self, nearest: Nearest) -> list[tuple[Document, float]]:
        """See the port; every vector of the collection is compared, in a thread.

        Raises:
            ValueError: A field cannot be queried.
        """
        require_field(nearest.field)
        found = await self.file.fetch(_LIST, (nearest.collection,))
        return await asyncio.to_thread(lambda: nearest_of((_document(*row) for row in found), nearest))

    async def remove_tree(self, path: str) -> int:
        """See the port; the contents are also removed from the disk."""
        return len(await self.file.fetch(_REMOVE_TREE, {"path": path}))

    async def tree(self, path: str) -> list[Document]:
        """See the port."""
        return [_document(*row) for row in await self.file.fetch(_TREE, {"path": path})]

    async def _commit(
        self, connection: aiosqlite.Connection, writes: Sequence[Write], encoded: Sequence[str]
    ) -> tuple[list[Written], int]:
        paths = json.dumps([write.path for write in writes])
        ((last, present),) = await rows(connection, _COUNT_ON, (len(writes), paths))
        before: dict[str, int] = json.loads(present)
        sums = {write.path: await _summed(connection, write) for write in writes if isinstance(write, Add)}
        encoded = [
            to_json(sums[w.path]) if isinstance(w, Add) else data for w, data in zip(writes, encoded, strict=True)
        ]
        outcome = _applied(writes, encoded, before, first_version=last - len(writes) + 1)
        if outcome.removed:
            await connection.executemany(_REMOVE, [(path,) for path in outcome.removed])
        if outcome.written:
            await connection.executemany(_WRITE, outcome.rows())
        created = {path: version for path, (_, version) in outcome.written.items() if path not in before}
        events = await self._outbox.add(connection, created) if self._outbox and created else 0
        left = zip(writes, outcome.versions, strict=True)
        return [Written(version, added(sums[w.path], w) if isinstance(w, Add) else None) for w, version in left], events


async def _summed(connection: aiosqlite.Connection, write: Add) -> Data:
    """Return a document after an addition; the transaction excludes other writers."""
    found = await rows(connection, _GET, (json.dumps([write.path]),))
    before = data_from_json(found[0][1]) if found else {}
    return after_addition(before, write)


@dataclass
class _Outcome:
    """Result of a commit: several writes of one path leave one row."""

    versions: list[str] = field(default_factory=list)
    written: dict[str, tuple[str, int]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    def rows(self) -> list[tuple[str, str, str, int]]:
        return [(path, path.rpartition("/")[0], data, version) for path, (data, version) in self.written.items()]


def _applied(
    writes: Sequence[Write], encoded: Sequence[str], before: Mapping[str, int], first_version: int
) -> _Outcome:
    present = dict(before)
    outcome = _Outcome()
    for version, (write, data) in enumerate(zip(writes, encoded, strict=True), first_version):
        _check(write, present.get(write.path))
        if isinstance(write, Remove):
            present.pop(write.path, None)
            outcome.written.pop(write.path, None)
            outcome.removed.add(write.path)
            outcome.versions.append("")
        else:
            present[write.path] = version
            outcome.written[write.path] = (data, version)
            outcome.removed.discard(write.path)
            outcome.versions.append(str(version))
    return outcome


def _check(write: Write, present: int | None) -> None:
    match write:
        case Create():
            if present is not None:
                raise DocumentExists(write.path)
        case ReplaceDocument():
            if present is None or str(present) != write.version:
                raise VersionConflict(write.path)
        case Remove(version=version):
            if version is not None and str(present) != version:
                raise VersionConflict(write.path)
        case Put() | Add():
            pass
        case _:
            assert_never(write)


def _encoded(write: Write) -> str:
    require_document_path(write.path)
    return "" if isinstance(write, Remove | Add) else to_json(write.data)


def _document(path: str, data: str, version: int) -> Document:
    return Document(path, data_from_json(data), str(version))
