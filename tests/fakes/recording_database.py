"""`DocumentDatabase` that remembers what it was asked for, over another one."""

from collections.abc import Sequence

from shared.ports.document_database import DocumentDatabase, Query
from shared.ports.document_writes import Document, Write, Written


class RecordingDatabase:
    """Passes everything on.

    Attributes:
        writes: Every write that was committed, in order.
        queries: Every query, in order.
    """

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self.writes: list[Write] = []
        self.queries: list[Query] = []

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        return await self._database.get(paths)

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        versions = await self._database.commit(writes)
        self.writes += writes
        return versions

    async def query(self, query: Query) -> list[Document]:
        self.queries.append(query)
        return await self._database.query(query)

    async def remove_tree(self, path: str) -> int:
        return await self._database.remove_tree(path)

    async def tree(self, path: str) -> list[Document]:
        return await self._database.tree(path)
