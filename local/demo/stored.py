"""Reads the documents that the functions write, and whether work is still to come."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from shared.adapters.documents import paths
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.mapping import from_document
from shared.domain.booking.appointment import Appointment
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.lifecycle import overdue_work
from shared.domain.counseling.plans import PlanRecord
from shared.domain.counseling.records import Completion, PartTransition, PlannerFeedback, Review, Supervision
from shared.domain.counseling.session import Session
from shared.domain.errors import NotFound
from shared.domain.ids import ConversationId
from shared.domain.turn import TurnRecord
from shared.model import Model
from shared.ports.document_database import DocumentDatabase
from shared.ports.document_writes import Document

M = TypeVar("M", bound=Model)
Working = Callable[[], Awaitable[bool]]
"""Tells whether deliveries are due or running, as far as known."""


@dataclass(frozen=True)
class Evidence:
    """The documents below a session, and the bookings of its user."""

    turns: tuple[TurnRecord, ...]
    transitions: tuple[PartTransition, ...]
    feedback: tuple[PlannerFeedback, ...]
    plans: tuple[PlanRecord, ...]
    completions: tuple[Completion, ...]
    supervisions: tuple[Supervision, ...]
    reviews: tuple[Review, ...]
    closing: Closing | None
    bookings: tuple[Appointment, ...] = ()


class Stored:
    """The documents that the functions wrote."""

    def __init__(self, database: DocumentDatabase, working: Working) -> None:
        self._database = database
        self._store = DocumentConversationStore(database, Session)
        self._working = working

    async def at_rest(self, conversation_id: ConversationId) -> bool:
        """Tell whether a session waits for nothing: no due work, no requested plan, no open transition."""
        if await self._working():
            return False
        session = await self.session(conversation_id)
        return not overdue_work(session)

    async def session(self, conversation_id: ConversationId) -> Session:
        """Return the newest session.

        Raises:
            NotFound: It does not exist.
        """
        snapshot = await self._store.load(conversation_id)
        if snapshot is None:
            raise NotFound("conversation")
        return snapshot.session.state

    async def evidence(self, conversation_id: ConversationId) -> Evidence:
        """Return the documents below the session, each kind in the order of the turns, and the bookings of its user."""
        user_id = (await self.session(conversation_id)).user_id
        tree = await self._database.tree(paths.session(conversation_id))

        def of(model: type[M], collection: str) -> tuple[M, ...]:
            found = [from_document(model, one) for one in tree if _collection(one) == collection]
            return tuple(sorted(found, key=lambda one: int(getattr(one, "seq", 0))))

        closings = of(Closing, Closing.collection)
        return Evidence(
            turns=of(TurnRecord, "turns"),
            transitions=of(PartTransition, PartTransition.collection),
            feedback=of(PlannerFeedback, PlannerFeedback.collection),
            plans=of(PlanRecord, PlanRecord.collection),
            completions=of(Completion, Completion.collection),
            supervisions=of(Supervision, Supervision.collection),
            reviews=of(Review, Review.collection),
            closing=closings[0] if closings else None,
            bookings=await DocumentAppointments(self._database).of_user(user_id),
        )


def _collection(document: Document) -> str:
    parts = document.path.split("/")
    return parts[2] if len(parts) == 4 else ""
