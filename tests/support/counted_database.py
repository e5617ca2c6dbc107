"""Counts the operations of a database as Firestore bills them; works over any `DocumentDatabase`."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from shared.ports.document_database import DocumentDatabase, Nearest, Query
from shared.ports.document_writes import Document, Remove, Write, Written


@dataclass(frozen=True)
class Operations:
    """Counts: reads include missing documents and empty queries, commits the refused ones, queries the trees."""

    reads: int = 0
    writes: int = 0
    deletes: int = 0
    commits: int = 0
    queries: int = 0

    def __add__(self, other: "Operations") -> "Operations":
        return Operations(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def since(self, earlier: "Operations") -> "Operations":
        return Operations(*(now - then for now, then in zip(astuple(self), astuple(earlier), strict=True)))


class CountedDatabase:
    """A database that counts what it has `done`; `after.since(before)` is the count of a piece of work."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self.done = Operations()

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        self.done += Operations(reads=len(set(paths)))
        return await self._database.get(paths)

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        self.done += Operations(commits=1 if writes else 0)
        versions = await self._database.commit(writes)
        deletes = sum(isinstance(write, Remove) for write in writes)
        self.done += Operations(writes=len(writes) - deletes, deletes=deletes)
        return versions

    async def query(self, query: Query) -> list[Document]:
        found = await self._database.query(query)
        self.done += Operations(queries=1, reads=max(1, len(found)))
        return found

    async def nearest(self, nearest: Nearest) -> list[tuple[Document, float]]:
        found = await self._database.nearest(nearest)
        self.done += Operations(queries=1, reads=max(1, len(found)))
        return found

    async def tree(self, path: str) -> list[Document]:
        found = await self._database.tree(path)
        self.done += Operations(queries=1, reads=max(1, len(found)))
        return found

    async def remove_tree(self, path: str) -> int:
        removed = await self._database.remove_tree(path)
        self.done += Operations(queries=1, reads=max(1, removed), deletes=removed, commits=1 if removed else 0)
        return removed
