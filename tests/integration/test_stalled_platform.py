"""A stalled database or queue loses no message and does not delay the user."""

import asyncio
import socket
import time
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from shared.adapters.cloud_tasks.queue import Route, connect, queue_path
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import SystemClock
from shared.config.settings import LocalSettings
from shared.contracts.events import Done, Failed, Token
from shared.contracts.tasks import JobKind
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.domain.mailbox import LEASE_TTL
from shared.engine.admission import Incoming
from shared.engine.enqueue import HEAD_START_SECONDS
from tests.builders.composed import chat_over, client_of, model_at
from tests.builders.first_session import PART_1
from tests.fakes.faulty_database import Fault, FaultKind, FaultyDatabase
from tests.support.chat_client import Person
from tests.support.emulators import new_project
from tests.support.moments import calls_begun, speak_slowly
from tests.support.overheard import SAID

pytestmark = pytest.mark.emulator

NOTHING_FOR_A_WHILE = [Fault(FaultKind.UNAVAILABLE, number) for number in range(20)]
USER = UserId("person")
FIRST, SECOND, THIRD = (line.client for line in PART_1[:3])


class Chat:
    """The chat function over the Firestore emulator, Google's queue client and the simulated model."""

    def __init__(self, parts, database, person):
        self.turns, self.database, self.person = parts.turns, database, person

    async def tell(self, conversation, message_id, text):
        """Send a message and give the events of its turn as they come."""
        SAID.add(text)
        stream = await self.turns.submit(Incoming(USER, ConversationId(conversation.id), MessageId(message_id), text))
        async for _, event in stream.listen():
            if isinstance(event, Done):
                SAID.add(event.result.reply)
            yield event

    async def ending(self, conversation, message_id, text):
        """Send a message and return the last event of its turn."""
        return [event async for event in self.tell(conversation, message_id, text)][-1]


@pytest.fixture
async def instance(firestore_emulator, model):
    """Start instances of the function in this process, over one database and a queue that answers nothing."""
    project = new_project()
    with socket.create_server(("127.0.0.1", 0)) as silent:

        @asynccontextmanager
        async def instance():
            async with AsyncExitStack() as stack:
                database = FirestoreDocumentDatabase.connect(project, emulator=firestore_emulator)
                gemini = model_at(model.address)
                route = Route(queue=queue_path("p", "l", "q"), url="http://127.0.0.1:9/work", audience="work")
                routes, silence = dict.fromkeys(JobKind, route), f"127.0.0.1:{silent.getsockname()[1]}"
                queue = connect(routes, "tasks@p.iam", SystemClock(), emulator=silence)
                for part in (database, gemini, queue):
                    stack.push_async_callback(part.aclose)
                faulty = FaultyDatabase(database)
                parts = chat_over(faulty, model=gemini, settings=LocalSettings.read({}), queue=queue)
                await parts.warm()
                http = await stack.enter_async_context(client_of(parts, USER))
                stack.push_async_callback(parts.turns.drain, 10)
                yield Chat(parts, faulty, Person(http, USER))

        yield instance


@pytest.fixture
async def chat(instance):
    async with instance() as started:
        yield started


async def test_a_turn_of_a_dead_instance_is_run_by_the_next_one_before_the_lease_expires(chat, instance, model):
    conversation = await chat.person.open()
    model.fault("hang")
    gone = asyncio.create_task(chat.ending(conversation, "m1", FIRST))
    await calls_begun(model)
    chat.database.dead = True
    model.reset()
    async with instance() as following:
        began = time.monotonic()
        answered = await following.ending(conversation, "m1", FIRST)
        waited = time.monotonic() - began
    chat.turns.stop(ConversationId(conversation.id))
    assert isinstance(answered, Done)
    assert waited < LEASE_TTL.total_seconds() - 3, "the lease's own end is not waited for"
    assert isinstance(await gone, Failed)


async def test_a_retry_returns_the_reply_that_was_shown_but_not_stored(chat, model):
    """The database refuses the first reply altogether; it stores the second, but its answer is lost."""
    conversation = await chat.person.open()
    speak_slowly(model, 5)
    shown = []
    async for event in chat.tell(conversation, "m1", FIRST):
        if isinstance(event, Token):
            if not shown:
                chat.database.plan(NOTHING_FOR_A_WHILE)
            shown.append(event.text)
    assert isinstance(event, Failed)
    assert event.retryable
    model.forget_calls()
    chat.database.plan(())
    first = await chat.ending(conversation, "m1", FIRST)
    assert (first.result.reply, model.calls()) == ("".join(shown), {})
    async for event in chat.tell(conversation, "m2", SECOND):
        if isinstance(event, Token):
            chat.database.plan([Fault(FaultKind.LOST_ANSWER)])
    history = await chat.person.messages(conversation.id)
    assert [entry["text"] for entry in history][1:] == [FIRST, first.result.reply, SECOND, event.result.reply]


async def test_an_unresponsive_queue_does_not_delay_the_end_of_a_reply(chat):
    conversation = await chat.person.open()
    waited = []
    for number, text in enumerate((FIRST, SECOND, THIRD)):
        async for event in chat.tell(conversation, f"m{number}", text):
            if isinstance(event, Token):
                began = time.monotonic()
        waited.append(time.monotonic() - began)
        assert isinstance(event, Done)
    began = time.monotonic()
    assert (await chat.person.http.post(f"/api/conversations/{conversation.id}/end")).status_code == 200
    assert max(*waited, time.monotonic() - began) < HEAD_START_SECONDS + 1
