"""`DocumentDatabase` that fails where a test plans it, and shows every write that really happened."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.domain.errors import StoreUnavailable, VersionConflict
from shared.ports.document_database import DocumentDatabase, Nearest, Query
from shared.ports.document_writes import Document, Remove, ReplaceDocument, Write, Written


class FaultKind(StrEnum):
    """How a call fails."""

    CONFLICT = "conflict"
    """A commit meets a newer version; nothing is written."""
    UNAVAILABLE = "unavailable"
    """A commit does not get through; nothing is written."""
    LOST_ANSWER = "lost_answer"
    """A commit is written, and its caller hears that the store does not answer."""
    UNREADABLE = "unreadable"
    """A reading does not get through."""
    DEATH = "death"
    """From this write on the process reaches the store no more, until it is restarted."""


@dataclass(frozen=True)
class Fault:
    """One failure: at which write from now on (for `UNREADABLE`, at which reading), the first being 0.

    The removal of a tree is one write.
    """

    kind: FaultKind
    at: int = 0


class FaultyDatabase:
    """Passes on what does not fail, and calls `written` with every commit that was; while `dead`, all fails."""

    def __init__(self, database: DocumentDatabase) -> None:
        self._database = database
        self.written: list[Callable[[Sequence[Write]], None]] = []
        self.dead = False
        self._commits: dict[int, FaultKind] = {}
        self._readings: set[int] = set()
        self._committed = self._read = 0

    def plan(self, faults: Iterable[Fault]) -> None:
        """Let these calls fail, counted from now; what was planned before and did not come is forgotten."""
        self._committed = self._read = 0
        planned = list(faults)
        self._commits = {fault.at: fault.kind for fault in planned if fault.kind is not FaultKind.UNREADABLE}
        self._readings = {fault.at for fault in planned if fault.kind is FaultKind.UNREADABLE}

    async def get(self, paths: Sequence[str]) -> list[Document | None]:
        self._reading()
        return await self._database.get(paths)

    async def commit(self, writes: Sequence[Write]) -> list[Written]:
        fault = self._writing()
        if fault is FaultKind.CONFLICT and (path := _versioned(writes)) is not None:
            raise VersionConflict(path)
        versions = await self._database.commit(writes)
        for tell in self.written:
            tell(writes)
        if fault is FaultKind.LOST_ANSWER:
            raise StoreUnavailable("planned: written all the same")
        return versions

    async def query(self, query: Query) -> list[Document]:
        self._reading()
        return await self._database.query(query)

    async def nearest(self, nearest: Nearest) -> list[tuple[Document, float]]:
        self._reading()
        return await self._database.nearest(nearest)

    async def remove_tree(self, path: str) -> int:
        fault = self._writing()
        removed = await self._database.remove_tree(path)
        if fault is FaultKind.LOST_ANSWER:
            raise StoreUnavailable("planned: removed all the same")
        return removed

    async def tree(self, path: str) -> list[Document]:
        return await self._database.tree(path)

    def _writing(self) -> FaultKind | None:
        fault = self._commits.pop(self._committed, None)
        self._committed += 1
        self.dead = self.dead or fault is FaultKind.DEATH
        if self.dead or fault is FaultKind.UNAVAILABLE:
            raise StoreUnavailable("planned")
        return fault

    def _reading(self) -> None:
        failing = self._read in self._readings
        self._readings.discard(self._read)
        self._read += 1
        if self.dead or failing:
            raise StoreUnavailable("planned")


def _versioned(writes: Sequence[Write]) -> str | None:
    """Return the path of a write with a version; a commit of new documents alone meets no conflict."""
    return next((w.path for w in writes if isinstance(w, ReplaceDocument | Remove) and w.version is not None), None)
