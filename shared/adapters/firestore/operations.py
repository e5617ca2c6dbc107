"""Counts the operations of a database as Firestore bills them; works over any `DocumentDatabase`."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from shared.ports.document_database import DocumentDatabase, Nearest, Query
from shared.ports.document_writes import Document, Remove, Write, Written


@dataclass(frozen=True)
class Operations:
    """Counts of operations.

    Attributes:
        reads: Documents read, missing ones and empty queries included.
        writes: Documents written.
        deletes: Documents deleted.
        commits: Commits, refused ones included.
        queries: Queries and trees.
    """

    reads: int = 0
    writes: int = 0
    deletes: int = 0
    commits: int = 0
    queries: int = 0

    def __add__(self, other: "Operations") -> "Operations":
        return Operations(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def since(self, earlier: "Operations") -> "Operations":
        """Return the difference to an earlier count."""
        return Operations(*(now - then for now, then in zip(astuple(self), astuple(earlier), strict=True)))


class CountedDatabase:
    """A database that counts its operations.

    Attributes:
        done: The count so far; `after.since(before)` is the count of a piece of work.
    """

    def __init__(self, database: DocumentDatabase) -> None:
        """Wrap a database, which its creator closes."""
        self._database = database
        self.done = Operations()

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        """See the port."""
        self.done += Operations(reads=len(set(paths)))
        return await self._database.get(paths)

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        """See the port; a refused commit counts only as a commit."""
        self.done += Operations(commits=1 if writes else 0)
        versions = await self._database.commit(writes)
        deletes = sum(isinstance(write, Remove) for write in writes)
        self.done += Operations(writes=len(writes) - deletes, deletes=deletes)
        return versions

    async def query(self, query: Query) -> list[Document]:
        """See the port."""
        found = await self._database.query(query)
        self.done += Operations(queries=1, reads=max(1, len(found)))
        return found

    async def nearest(self, nearest: Nearest) -> list[tuple[Document, float]]:
        """See the port; a read for every 100 entries of the index that are compared is not counted."""
        found = await self._database.nearest(nearest)
        self.done += Operations(queries=1, reads=max(1, len(found)))
        return found

    async def tree(self, path: str) -> list[Document]:
        """See the port."""
        found = await self._database.tree(path)
        self.done += Operations(queries=1, reads=max(1, len(found)))
        return found

    async def remove_tree(self, path: str) -> int:
        """See the port; deleted documents are read first."""
        removed = await self._database.remove_tree(path)
        self.done += Operations(queries=1, reads=max(1, removed), deletes=removed, commits=1 if removed else 0)
        return removed
