"""A database or a queue that stands still: what was said stays said, and the user waits for neither in vain."""

import asyncio
import socket
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest

from functions.chat.composition import compose
from functions.chat.parts import ChatParts, Platform
from local.background import inner_door
from local.emulators.firestore import FirestoreEmulator
from shared.adapters.cloud_tasks.queue import Route, connect, queue_path
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.config.settings import LocalSettings, ModelAccess
from shared.contracts.events import Done, Failed, StreamEvent, Token
from shared.contracts.tasks import JobKind
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import LEASE_TTL
from shared.engine.admission import Incoming
from shared.engine.enqueue import HEAD_START_SECONDS
from shared.engine.model_health import ModelHealth
from shared.engine.watched_model import WatchedModel
from shared.ports.identity import Caller
from tests.fakes.faulty_database import Fault, FaultKind, FaultyDatabase
from tests.support.chat_client import Conversation, Person
from tests.support.emulators import new_project
from tests.support.first_session import PART_1
from tests.support.moments import calls_begun, speak_slowly
from tests.support.overheard import SAID
from tests.support.simulator import Simulator

pytestmark = pytest.mark.emulator

NOTHING_FOR_A_WHILE = [Fault(FaultKind.UNAVAILABLE, number) for number in range(20)]
USER = UserId("person")


class AnyToken:
    """`Identity`: everybody is the same person."""

    async def verify(self, token: str) -> Caller:
        return Caller(user_id=USER)


class Chat:
    """The chat function over the Firestore emulator, Google's queue client and the simulated model."""

    def __init__(self, parts: ChatParts, database: FaultyDatabase, person: Person) -> None:
        self.turns = parts.turns
        self.database = database
        self.person = person

    async def tell(self, conversation: Conversation, message_id: str, text: str) -> AsyncIterator[StreamEvent]:
        """Send a message and give the events of its turn as they come."""
        SAID.add(text)
        stream = await self.turns.submit(Incoming(USER, ConversationId(conversation.id), MessageId(message_id), text))
        async for _, event in stream.listen():
            yield event

    async def ending(self, conversation: Conversation, message_id: str, text: str) -> Done | Failed:
        """Send a message and return the last event of its turn."""
        *_, last = [event async for event in self.tell(conversation, message_id, text)]
        assert isinstance(last, Done | Failed)
        return last


@pytest.fixture
def silent_queue() -> Iterator[str]:
    """Where a queue seems to listen, and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@asynccontextmanager
async def instance(
    firestore: FirestoreEmulator, project: str, queue: str, model: Simulator
) -> AsyncGenerator[Chat, None]:
    """Start an instance of the function in this process."""
    async with AsyncExitStack() as stack:
        database = FirestoreDocumentDatabase.connect(project, emulator=firestore.address)
        faulty = FaultyDatabase(database)
        stack.push_async_callback(database.aclose)
        gemini = GeminiLanguageModel(GeminiConnection.model_validate({"api_key": "test", "base_url": model.address}))
        stack.push_async_callback(gemini.aclose)
        clock, settings = SystemClock(), LocalSettings.read({})
        route = Route(queue=queue_path("p", "l", "q"), url="http://127.0.0.1:9/work", audience="work")
        tasks = connect(dict.fromkeys(JobKind, route), "tasks@p.iam", clock, emulator=queue)
        stack.push_async_callback(tasks.aclose)
        platform = Platform(
            store=DocumentConversationStore(faulty, Session),
            queue=tasks,
            identity=AnyToken(),
            model=WatchedModel(gemini, ModelHealth(clock)),
            clock=clock,
            ids=RandomIds(),
            door=inner_door(settings.project),
        )
        parts = compose(platform, settings, ModelAccess.read({}))
        await parts.warm()
        http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=parts.app),
            base_url="http://chat",
            headers={"Authorization": f"Bearer {USER}"},
        )
        await stack.enter_async_context(http)
        stack.push_async_callback(parts.turns.drain, 10)
        yield Chat(parts, faulty, Person(http, USER))


@pytest.fixture
def project() -> str:
    return new_project()


@pytest.fixture
async def chat(
    firestore_emulator: FirestoreEmulator, project: str, silent_queue: str, model: Simulator
) -> AsyncIterator[Chat]:
    async with instance(firestore_emulator, project, silent_queue, model) as started:
        yield started


async def test_the_turn_of_an_instance_that_is_gone_is_run_by_the_next_one_within_seconds(
    chat: Chat, firestore_emulator: FirestoreEmulator, project: str, silent_queue: str, model: Simulator
) -> None:
    conversation = await chat.person.open()
    model.fault("hang")
    gone = asyncio.create_task(chat.ending(conversation, "m1", PART_1[0].text))
    await calls_begun(model)
    chat.database.dead = True
    model.reset()
    async with instance(firestore_emulator, project, silent_queue, model) as following:
        began = time.monotonic()
        answered = await following.ending(conversation, "m1", PART_1[0].text)
        waited = time.monotonic() - began
    chat.turns.stop(ConversationId(conversation.id))

    assert isinstance(answered, Done)
    SAID.add(answered.result.reply)
    assert waited < LEASE_TTL.total_seconds() - 3, "the lease's own end is not waited for"
    assert isinstance(await gone, Failed)


async def test_a_reply_that_the_database_did_not_take_is_the_one_that_the_retry_gets(
    chat: Chat, model: Simulator
) -> None:
    """The second is written as soon as the database answers; of the first the database takes nothing."""
    conversation = await chat.person.open()
    speak_slowly(model, 5)
    shown: list[str] = []
    async for event in chat.tell(conversation, "m1", PART_1[0].text):
        if isinstance(event, Token):
            if not shown:
                chat.database.plan(NOTHING_FOR_A_WHILE)
            shown.append(event.text)
    assert isinstance(event, Failed)
    assert event.retryable
    model.forget_calls()
    chat.database.plan(())
    first = await chat.ending(conversation, "m1", PART_1[0].text)
    calls = model.calls()
    async for event in chat.tell(conversation, "m2", PART_1[1].text):
        if isinstance(event, Token):
            chat.database.plan([Fault(FaultKind.LOST_ANSWER)])
    history = await chat.person.messages(conversation.id)

    assert isinstance(first, Done)
    assert isinstance(event, Done)
    SAID.add(first.result.reply)
    SAID.add(event.result.reply)
    assert (first.result.reply, calls) == ("".join(shown), {})
    said = [PART_1[0].text, first.result.reply, PART_1[1].text, event.result.reply]
    assert [entry["text"] for entry in history][1:] == said


async def test_a_queue_that_does_not_answer_keeps_nobody_waiting_for_the_end_of_a_reply(
    chat: Chat, caplog: pytest.LogCaptureFixture
) -> None:
    conversation = await chat.person.open()
    waited: list[float] = []
    for number, line in enumerate(PART_1[:3]):
        began = 0.0
        async for event in chat.tell(conversation, f"m{number}", line.text):
            if isinstance(event, Token):
                began = time.monotonic()
            last = event
        waited.append(time.monotonic() - began)
        assert isinstance(last, Done)
    began = time.monotonic()
    assert (await chat.person.http.post(f"/api/conversations/{conversation.id}/end")).status_code == 200
    waited.append(time.monotonic() - began)

    assert max(waited) < HEAD_START_SECONDS + 1
