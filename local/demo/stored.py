"""Looks into the machine's SQLite file, beside the machine and without writing: its documents, and whether it works."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from local.embedded.database import SqliteDocumentDatabase
from local.embedded.values import timestamp
from shared.adapters.documents import paths
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.mapping import from_document
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.records import PartTransition, PlannerFeedback, Review, Supervision
from shared.domain.counseling.session import Session
from shared.domain.errors import NotFound
from shared.domain.ids import ConversationId
from shared.domain.model import Model
from shared.domain.turn import TurnRecord
from shared.ports.document_database import Document

M = TypeVar("M", bound=Model)

# One statement, so that work which hands on to other work is not missed between two looks.
_UNSETTLED = """
SELECT 1 FROM tasks WHERE state = 'pending' AND (due_at <= :now OR attempts > 0) UNION ALL
SELECT 1 FROM outbox WHERE state = 'pending' AND (due_at <= :now OR attempts > 0) LIMIT 1
"""


@dataclass(frozen=True)
class Evidence:
    """What a session left beside itself."""

    turns: tuple[TurnRecord, ...]
    transitions: tuple[PartTransition, ...]
    feedback: tuple[PlannerFeedback, ...]
    supervisions: tuple[Supervision, ...]
    reviews: tuple[Review, ...]
    closing: Closing | None


class Stored:
    """What the machine has written."""

    def __init__(self, database: SqliteDocumentDatabase) -> None:
        """Read from a database that another owns."""
        self._database = database
        self._store = DocumentConversationStore(database, Session)

    async def at_rest(self) -> bool:
        """Tell whether no background work is due, under way or waiting for a retry."""
        return not await self._database.file.fetch(_UNSETTLED, {"now": timestamp(datetime.now(UTC))})

    async def session(self, conversation_id: ConversationId) -> Session:
        """Return the session as it stands.

        Raises:
            NotFound: There is none.
        """
        snapshot = await self._store.load(conversation_id)
        if snapshot is None:
            raise NotFound("conversation")
        return snapshot.session.state

    async def evidence(self, conversation_id: ConversationId) -> Evidence:
        """Return the documents below the session, each kind in the order of the turns."""
        tree = await self._database.tree(paths.session(conversation_id))

        def of(model: type[M], collection: str) -> list[M]:
            return [from_document(model, one) for one in tree if _collection(one) == collection]

        closings = of(Closing, Closing.collection)
        return Evidence(
            turns=tuple(sorted(of(TurnRecord, "turns"), key=lambda turn: turn.seq)),
            transitions=tuple(of(PartTransition, PartTransition.collection)),
            feedback=tuple(of(PlannerFeedback, PlannerFeedback.collection)),
            supervisions=tuple(of(Supervision, Supervision.collection)),
            reviews=tuple(of(Review, Review.collection)),
            closing=closings[0] if closings else None,
        )


@asynccontextmanager
async def stored(file: Path) -> AsyncIterator[Stored]:
    """Open a machine's file without taking it from the machine."""
    database = await SqliteDocumentDatabase.open(file, exclusive=False)
    try:
        yield Stored(database)
    finally:
        await database.aclose()


def _collection(document: Document) -> str:
    parts = document.path.split("/")
    return parts[2] if len(parts) == 4 else ""
