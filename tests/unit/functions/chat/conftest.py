"""The application over a store in memory, a scripted engine, and tokens that are just user ids."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from itertools import count

import httpx
import pytest

from functions.chat.flows.counseling.opening import greeting_without
from functions.chat.http.api import ChatApi
from functions.chat.http.app import build_app
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.danger import DangerReports
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.erasure_propagation import ErasurePropagation
from functions.chat.use_cases.export_limits import ExportLimits
from functions.chat.use_cases.review import StaffReviews
from functions.chat.use_cases.rights_audit_log import RightsAuditLog
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.contracts.chat import ChatReply, RiskView, StateSnapshot
from shared.contracts.events import Done, Token
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.conversation import Consent, Message, Role
from shared.domain.counseling.session import Session
from shared.domain.errors import Unauthenticated
from shared.engine.event_stream import EventStream
from shared.engine.flow import ServicePolicy
from shared.engine.model_health import ModelHealth
from shared.engine.read_limits import ReadLimits
from shared.ports.conversation_documents import View
from shared.ports.identity import Caller
from shared.web.problem_texts import ContentProblemTexts
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.service_parts import Ids
from tests.support.overheard import noted

ORIGIN = "https://cbot.example"
MESSAGE_ID = "0b8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b"
CONSENTS = {"terms": True, "sensitive_data": True, "overseas_transfer": True}


class Clock:
    """Every look is a second later."""

    def __init__(self):
        self.seconds = count()

    def now(self):
        return datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=next(self.seconds))

    def monotonic(self):
        return float(next(self.seconds))


class SmallHouse(ServicePolicy[Session]):
    def view(self, state):
        return View(
            conversation_id=state.conversation_id,
            user_id=state.user_id,
            title=state.title,
            status=state.status.value,
            part=int(state.current_part),
            progress=state.progress,
            last_message=state.recent[-1].text,
            created_at=state.created_at,
            updated_at=state.updated_at,
            expire_at=state.expire_at,
            state_snapshot=snapshot(state.status.value).model_dump(mode="json"),
        )

    def due(self, state):
        if not state.ended:
            return ()
        return (
            TaskPayload(
                conversation_id=state.conversation_id,
                kind=JobKind.CLOSE,
                seq=state.seq,
                state_version=state.state_version,
            ),
        )

    def overdue(self, state):
        return self.due(state)


def snapshot(status="active"):
    return StateSnapshot(
        status=status,
        part=1,
        task=None,
        module="listening",
        progress=0,
        plan_status="none",
        wrap_up=None,
        risk=RiskView(level="none"),
    )


class Tokens:
    """`Identity`: the token is the user's id, with a role behind a slash if they have one."""

    async def verify(self, token):
        if token.startswith("forged"):
            raise Unauthenticated("forged")
        user_id, _, role = token.partition("/")
        return Caller(user_id=user_id, role=role or None)


class ScriptedTurns:
    """`Turns` as far as the routes know it: it hands out what a test puts in."""

    def __init__(self):
        self.submitted = []
        self.attached = []
        self.stopped = []
        self.stream = EventStream()
        self.refusal = None
        self.asked = asyncio.Event()

    def answer(self, reply="안녕하세요", seq=1):
        self.stream.seq = seq
        self.stream.emit(Token(text=reply))
        self.stream.emit(Done(result=ChatReply(message_id=MESSAGE_ID, seq=seq, reply=reply, state_snapshot=snapshot())))

    async def submit(self, message):
        self.submitted.append(message)
        self.asked.set()
        if self.refusal:
            raise self.refusal
        return self.stream

    async def attach(self, user_id, conversation_id, message_id, *, wait):
        self.attached.append((user_id, conversation_id, message_id, wait))
        self.asked.set()
        if self.refusal:
            raise self.refusal
        return self.stream if wait or self.stream.closed else None

    def stop(self, conversation_id):
        self.stopped.append(conversation_id)


class World:
    """The application and all that stands behind it."""

    def __init__(self, store=DocumentConversationStore):
        self.clock = Clock()
        self.database = MemoryDocumentDatabase()
        self.store = store(self.database, Session)
        self.queue = MemoryTaskQueue()
        self.turns = ScriptedTurns()
        self.numbers = count(1)
        self.stopped = []
        policy = SmallHouse()
        ids = Ids()
        consent_changes = ConsentChanges(
            self.store, policy, self.queue, self.clock, ids, content().consents, stop=self.stopped.append
        )
        service = ConversationLifecycle(
            store=self.store,
            policy=policy,
            queue=self.queue,
            clock=self.clock,
            open_session=self.open_session,
            closing_text=lambda state: f"bye {state.locale.value} {state.register_.value}",
            consents=content().consents,
            consent_changes=consent_changes,
        )
        self.api = ChatApi(
            store=self.store,
            turns=self.turns,
            identity=Tokens(),
            service=service,
            reviews=StaffReviews(self.store, service.policy, self.clock, ids),
            dangers=DangerReports(self.store, service.policy, self.clock, content().screening),
            consents=consent_changes,
            erasure_requests=ErasureRequests(
                self.store,
                ErasurePropagation(
                    self.store,
                    policy,
                    self.clock,
                    lambda state, text, erased: greeting_without(content(), state, text, erased),
                ),
                self.queue,
                self.clock,
                ids,
                stop=self.turns.stop,
            ),
            rights_audit_log=RightsAuditLog(self.store, self.clock, ids),
            exports=ExportLimits(self.store, self.clock),
            reads=ReadLimits(self.clock),
            screening=content().screening,
            clock=self.clock,
            texts=ContentProblemTexts(content()),
            version="1.2.3",
            model_health=ModelHealth(self.clock),
            origins=(ORIGIN,),
        )
        self.app = build_app(self.api)

    def open_session(self, user_id, request, now, known):
        self.known = known
        greeting = Message(seq=0, role=Role.COUNSELOR, text="저는 AI예요.", created_at=now)
        session = Session(
            conversation_id=f"c{next(self.numbers)}",
            user_id=user_id,
            locale=request.locale,
            register=request.register_,
            consents={
                name: Consent(
                    granted=True,
                    version=content().consents.versions[name],
                    at=now,
                    stated=getattr(request.versions, name) is not None,
                )
                for name in CONSENTS
            },
            age_band=request.age_band,
            flow="counseling",
            created_at=now,
            updated_at=now,
            expire_at=now + timedelta(days=365),
            recent=(greeting,),
            current_module="listening",
        )
        return session, greeting

    def client(self, user="ann", **headers):
        authorization = {"Authorization": f"Bearer {user}"} if user else {}
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app),
            base_url="http://test",
            headers={**authorization, **headers},
            event_hooks={"request": [noted]},
        )

    async def conversation(self, user="ann"):
        async with self.client(user) as client:
            created = await client.post(
                "/api/conversations", json={"age_band": "adult", "locale": "ko", "consents": CONSENTS}
            )
        return created.json()["conversation_id"]


@pytest.fixture
def store():
    """The store's class; a test may have one of its own."""
    return DocumentConversationStore


@pytest.fixture
def world(store):
    return World(store)


@pytest.fixture
async def ann(world):
    async with world.client("ann") as client:
        yield client


@pytest.fixture
async def bob(world):
    async with world.client("bob") as client:
        yield client


@pytest.fixture
async def staff(world):
    """A reviewer."""
    async with world.client("rae/reviewer") as client:
        yield client


@pytest.fixture
async def mine(world):
    """A conversation of Ann's."""
    return await world.conversation("ann")


@pytest.fixture
def message_id():
    return MESSAGE_ID


@pytest.fixture
def origin():
    return ORIGIN


@pytest.fixture
def consents():
    return dict(CONSENTS)


@pytest.fixture
def events_in():
    """Read the events of an SSE body."""

    def read(text):
        found = []
        for block in text.split("\r\n\r\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\r\n") if ": " in line)
            if "event" in fields:
                found.append((fields["event"], json.loads(fields["data"])))
        return found

    return read
