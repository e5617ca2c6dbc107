"""The application over a store in memory and a scripted engine; a token is a user id."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from unittest.mock import patch

import httpx
import pytest

from functions.chat import composition
from functions.chat.dispatch import KINDS, dispatch
from functions.chat.http.app import build_app
from functions.chat.parts import Platform
from local.background import local_invoker_auth
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.config.settings import ChatSettings, ModelAccess
from shared.content.catalogue import content
from shared.contracts.chat import ChatReply
from shared.contracts.events import Done, Token
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.errors import Unauthenticated
from shared.domain.mailbox import QueuedMessage, claim, receive
from shared.engine.event_stream import EventStream
from shared.engine.model_health import ModelHealth
from shared.engine.sweep import Sweep
from shared.engine.turns import Turns
from shared.engine.watched_model import WatchedModel
from shared.locale import Locale, Register
from shared.ports.conversation_documents import Versioned, VersionedMailbox
from shared.ports.document_writes import Put
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.service_parts import Ids, OneUser
from tests.builders.sessions import session
from tests.builders.talk import Talk
from tests.fakes.faulty_database import FaultKind, FaultyDatabase
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.support.chat_client import CONSENTS, events_of
from tests.support.overheard import noted

GREETING = content().messages(Locale.KO, Register.FORMAL).text("greeting")
ALL, MINE = "/api/conversations", "/api/me/consents"
ORIGIN = "https://cbot.example"
MESSAGE_ID = "0b8f5a3e-1c2d-4e5f-8a9b-0c1d2e3f4a5b"
VERSIONS = content().consents.versions
OPENING = {"age_band": "adult", "locale": "ko", "consents": CONSENTS}
FOLLOW_UP = {**OPENING, "session_type": "follow_up"}
SSE = {"Accept": "text/event-stream"}


class Clock:
    """Advances by one second at each read; the time that deadlines are measured by, by a hundredth."""

    def __init__(self):
        self.seconds = count()

    def now(self):
        return datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=next(self.seconds))

    def monotonic(self):
        return next(self.seconds) / 100


class Tokens(OneUser):
    async def verify(self, token):
        if token.startswith("forged"):
            raise Unauthenticated("forged")
        return await super().verify(token)


class ScriptedTurns:
    """The part of `Turns` that the routes use; a test gives its answers."""

    def __init__(self):
        self.submitted, self.attached = [], []
        self.stream = EventStream()
        self.refusal = None
        self.asked = asyncio.Event()

    def answer(self, reply="안녕하세요", seq=1):
        self.stream.seq = seq
        self.stream.emit(Token(text=reply))
        shown = CounselingPolicy(content()).snapshot(session())
        self.stream.emit(Done(result=ChatReply(message_id=MESSAGE_ID, seq=seq, reply=reply, state_snapshot=shown)))

    async def submit(self, message):
        self.submitted.append(message)
        return self._asked()

    async def attach(self, user_id, conversation_id, message_id, *, wait):
        self.attached.append((user_id, conversation_id, message_id, wait))
        stream = self._asked()
        return stream if wait or stream.closed else None

    def _asked(self):
        self.asked.set()
        if self.refusal:
            raise self.refusal
        return self.stream


class World:
    """The composed application with its store, queue and model, but with `ScriptedTurns` for the engine."""

    def __init__(self):
        self.clock = Clock()
        self.database = MemoryDocumentDatabase()
        self.faults = FaultyDatabase(self.database)
        self.store = DocumentConversationStore(self.faults, Session)
        self.queue = MemoryTaskQueue()
        self.model = ScriptedModel({})
        self.turns = ScriptedTurns()
        self.stopped, built = [], []
        platform = Platform(
            store=self.store,
            queue=self.queue,
            identity=Tokens(),
            model=WatchedModel(self.model, ModelHealth(self.clock)),
            clock=self.clock,
            ids=Ids(),
            invoker_auth=local_invoker_auth("demo-cbot"),
            appointments=DocumentAppointments(self.faults),
            checkpoints=DocumentCheckpoints(self.faults),
            vectors=DocumentPassageVectors(self.faults),
        )
        with (
            patch.object(composition, "build_app", built.append),
            patch.object(Turns, "stop", lambda _, conversation_id: self.stopped.append(conversation_id)),
        ):
            self.parts = composition.compose(platform, ChatSettings(origins=(ORIGIN,)), ModelAccess())
        self.api = replace(built[0], turns=self.turns)
        self.app = build_app(self.api)

    def client(self, user="ann", app=None, **headers):
        authorization = {"Authorization": f"Bearer {user}"} if user else {}
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(app or self.app),
            base_url="http://test",
            headers={**authorization, **headers},
            event_hooks={"request": [noted]},
        )

    async def conversation(self, user="ann", **more):
        async with self.client(user) as client:
            created = await client.post(ALL, json={**OPENING, **more})
        return created.json()["conversation_id"]

    async def state(self, conversation_id):
        return (await self.store.load(conversation_id)).session.state

    async def set(self, conversation_id, **fields):
        """Change fields of a stored session."""
        found = (await self.store.load(conversation_id)).session
        changed = Versioned(found.state.model_copy(update=fields), found.version)
        await self.store.save_state(changed, await self.store.view(conversation_id))

    async def profile(self, user="ann"):
        return (await self.store.user(user, Profile)).document

    async def audit(self, *actions):
        """Return the audit lines, all or those of some actions, in order of time."""
        lines = [document.data for document in await self.database.tree("audit")]
        return sorted((one for one in lines if not actions or one["action"] in actions), key=lambda one: one["at"])

    async def paths(self, *trees):
        return [document.path for tree in trees for document in await self.database.tree(tree)]

    async def let_wait(self, conversation_id, *, claimed=False):
        """Put a message into the mailbox, or claim it as well; returns the mailbox."""
        held = await self.store.mailbox(conversation_id)
        waiting = QueuedMessage(message_id="m1", text="듣고 있나요", received_at=self.clock.now())
        box = receive(held.box, waiting, held.box.expire_at)
        box = claim(box, "one", self.clock.now()) if claimed else box
        await self.store.save_mailbox(VersionedMailbox(box, held.version))
        return box

    async def damage(self, path, **fields):
        """Store a document with fields that the code would not write."""
        (document,) = await self.database.get([path])
        await self.database.commit([Put(path, {**document.data, **fields})])


LOST = (FaultKind.DEATH, FaultKind.UNAVAILABLE)
"""Faults that prevent the write."""


def interrupt(target, method, meanwhile):
    """Let the next call of a method begin with `meanwhile`."""
    call = getattr(target, method)

    async def interrupted(*given, **more):
        setattr(target, method, call)
        await meanwhile()
        return await call(*given, **more)

    setattr(target, method, interrupted)


class Scene:
    """Ann has conversations and sends a request while the store fails at the writes that a test names."""

    async def set(self, conversations):
        self.world = World()
        self.mine = [await self.world.conversation("ann") for _ in range(conversations)]
        return self

    async def ask(self, method, path, *faults, **body):
        """Return the answer's status; the store works again afterwards."""
        self.world.faults.plan(faults)
        async with self.world.client("ann") as ann:
            status = (await ann.request(method, path, json=body or None)).status_code
        self.world.faults.dead = False
        return status

    async def swept(self, kind):
        """Run the sweep and, twice each, the tasks of a kind that it queues; return their results."""
        api, queue = self.world.api, MemoryTaskQueue()
        await Sweep(self.world.store, api.service.policy, queue, self.world.clock, patience=timedelta()).run()
        tasks = [task for task in queue.take() if task.kind is kind for _ in range(2)]
        assert {task.kind for task in tasks} <= KINDS
        return [
            await dispatch(self.world.turns, api.erasure_requests, api.consents, self.world.parts.reminders, one)
            for one in tasks
        ]


@pytest.fixture
def talk():
    return Talk()


@pytest.fixture
def world():
    return World()


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


async def events_in(response):
    """Return the names and data of the events of a response."""
    return [(event.name, event.data) async for event in events_of(response)]
