"""A session in a real store over a memory database, and a job context whose model is scripted."""

from collections.abc import Awaitable, Callable

from local.background import local_invoker_auth
from local.eventarc import DATABASE, Announcement, DocumentName, named
from shared.adapters.documents import writes
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message, Role
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.domain.ids import ConversationId, MessageId
from shared.engine.jobs import CreatedDocument
from shared.engine.overdue import marked
from shared.engine.runner import AgentRunner
from shared.ports.conversation_documents import Versioned
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.policy import CounselingPolicy
from shared.web.invoker_auth import BackgroundParts
from tests.builders.sessions import NOW
from tests.builders.shipped_settings import shipped_settings
from tests.builders.turn_records import turn_record
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

ID = ConversationId("c1")
PROJECT = "demo"
BUSY = {"state_version", "updated_at", "expire_at", "budget"}
"""Fields that depend on the number and the times of writes."""


class InterruptedModel(ScriptedModel):
    """Runs `meanwhile` once while an answer is awaited."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def generate(self, request):
        reply = await super().generate(request)
        if self.meanwhile is not None:
            doing, self.meanwhile = self.meanwhile, None
            await doing()
        return reply


class Room:
    """Everything of one session."""

    def __init__(self, scripts=None):
        self.reply = "그러셨군요. 조금 더 들려주시겠어요?"
        self.clock = SettableClock()
        self.model = InterruptedModel(scripts)
        self.database = MemoryDocumentDatabase()
        self.store = DocumentConversationStore(self.database, Session)
        self.policy = CounselingPolicy(content())
        runner = AgentRunner(self.model, shipped_settings(), self.clock)
        self.context = CounselingJobContext(store=self.store, policy=self.policy, runner=runner, content=content())

    def parts(self, invoker_auth=None):
        """Return the parts of a background function; by default every caller is let in."""
        return BackgroundParts(self.context, invoker_auth or local_invoker_auth(PROJECT))

    async def open(self, session, said=(), records=()):
        """Store a session in which the user has said these things and was answered each time."""
        turns = len(said)
        heard = session.model_copy(update={"seq": turns, "message_count": turns})
        state = marked(self.policy, session, heard, self.clock.now())
        greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요.", created_at=self.clock.now())
        await self.store.create(state, greeting, self.policy.view(state))
        for seq, text in enumerate(said, start=1):
            await self._say(seq, Role.USER, text, state)
            await self._say(seq, Role.COUNSELOR, f"{self.reply} ({seq})", state)
        await self.add(*records)
        return state

    async def replied(self, seq, text, *fixed):
        """Replace the reply of a turn by one with these fixed parts."""
        await self._say(seq, Role.COUNSELOR, text, await self.session(), fixed=fixed)

    async def _say(self, seq, role, text, state, **more):
        own = {"created_at": self.clock.now(), "message_id": MessageId(f"m{seq}"), **more}
        message = Message(seq=seq, role=role, text=text, **own)
        await self.database.commit([writes.message(ID, message, state.expire_at)])

    async def turn(self, seq, directive=None, **more):
        """Store the ledger of a turn with this directive."""
        record = turn_record(ID, seq, directive=directive and directive.for_record(), **more)
        await self.database.commit([writes.put(writes.paths.turn(ID, MessageId(f"m{seq}")), record)])

    async def add(self, *records):
        """Store records as another writer does."""
        if records:
            await self.database.commit(writes.records(ID, records))

    async def change(self, **fields):
        """Write fields of the session as another writer does."""
        stored = await self._stored()
        state = stored.state.model_copy(update=fields)
        await self.store.save_state(Versioned(state, stored.version), self.policy.view(state))

    async def session(self):
        return (await self._stored()).state

    async def _stored(self):
        snapshot = await self.store.load(ID)
        assert snapshot is not None
        return snapshot.session

    async def essence(self):
        """Return the session without the fields in `BUSY`."""
        return (await self.session()).model_dump(mode="json", exclude=BUSY)

    async def documents(self):
        found = [*await self.database.tree("sessions/c1"), *await self.database.tree("conversations/c1")]
        return {document.path: document.data for document in found}

    async def record(self, collection, record_id):
        return await self.store.record(ID, collection, record_id)

    async def records(self, collection):
        prefix = f"sessions/c1/{collection}/"
        return {path.removeprefix(prefix) for path in await self.documents() if path.startswith(prefix)}


def payload(kind, seq):
    return TaskPayload(conversation_id=ID, kind=kind, seq=seq, state_version=0)


def created(collection, document_id):
    return CreatedDocument(conversation_id=ID, collection=collection, document_id=document_id)


def transition(name):
    before, after = (Part(int(part)) for part in name.split("-"))
    times = {"created_at": NOW, "expire_at": NOW}
    reason = "every task is covered"
    return PartTransition(record_id=name, from_part=before, to_part=after, seq=3, reason=reason, **times)


def announcement(path, project=PROJECT):
    """Return headers and body of the event of a document."""
    document = DocumentName(project, DATABASE, path)
    return Announcement("e1", document, NOW.isoformat(), "local").headers(), named(document)
