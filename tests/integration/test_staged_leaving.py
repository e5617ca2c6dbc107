"""SIGTERM at the staged `chat` under its real server, gunicorn with a uvicorn worker, over the Firestore emulator."""

import asyncio
import sys
import time
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from infra.staging.folder import stage
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.adapters.system_clock import SystemClock
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from tests.builders.composed import chat_over, model_at
from tests.support.chat_client import signed_as
from tests.support.emulators import new_project
from tests.support.polling import until
from tests.support.process import ROOT
from tests.support.staged import UNREACHABLE, StagedFunction, settings_of

pytestmark = pytest.mark.emulator

PLATFORM_GRACE_S = 10.0
"""Between SIGTERM and SIGKILL on Cloud Run."""
GRACE_S = 5.0
"""For running turns; less than the product's, so that the test is short."""
DECIDED_S = 1.0
"""Within it a reply that was begun before the decisions goes on or is begun anew."""
SLOW_REPLY_MS, ENDLESS_REPLY_MS = 20, 1000
"""Per token: a reply takes most of a second, or some minutes. A model that only hangs would time out."""


@pytest.fixture
def project():
    return new_project()


@pytest.fixture
def leaving(firestore_emulator, simulator, project, tmp_path):
    """An instance over the tests' own libraries, which are those of the lock (test_staged_functions.py)."""
    variables = settings_of(
        project,
        CBOT_UNSIGNED_TOKENS="1",
        **simulator.access,
        FIRESTORE_EMULATOR_HOST=firestore_emulator,
        CLOUD_TASKS_EMULATOR_HOST=UNREACHABLE,
        CBOT_LOG_FORMAT="json",
        CBOT_LOG_LEVEL="INFO",
        CBOT_SHUTDOWN_GRACE_SECONDS=str(GRACE_S),
    )
    with StagedFunction(Path(sys.prefix), stage(ROOT, "chat", tmp_path), "chat", variables) as running:
        yield running


@pytest.fixture
async def database(firestore_emulator, project):
    database = FirestoreDocumentDatabase.connect(project, emulator=firestore_emulator)
    yield database
    await database.aclose()


@pytest.fixture
async def people(leaving, database, simulator, project):
    """One person, at the instance that leaves and at another over the same database, in this process."""
    model, identity = model_at(simulator.address), UnsignedIdentity(project, SystemClock(), {})
    elsewhere = chat_over(database, model=model, identity=identity)
    async with (
        signed_as("user", project, leaving.address) as here,
        signed_as("user", project, "http://elsewhere", httpx.ASGITransport(elsewhere.app)) as there,
    ):
        yield here, there
    await elsewhere.drain()
    await model.aclose()


async def heard(person, conversation, message, begun=None):
    """Send a message and return all events; `begun` is set when the reply begins."""
    events = []
    async with person.stream(conversation, "요즘 잠을 잘 못 자요.", message) as stream:
        async for event in stream:
            events.append(event)
            if event.name == "token" and begun is not None:
                begun.set()
    return events


async def test_sigterm_ends_running_turns_refuses_new_ones_and_leaves_no_lease(leaving, people, database, model):
    here, there = people
    late, early, whole, stuck, stuck_whole, fresh, danger = [(await here.open()).id for _ in range(7)]
    ids = {name: str(uuid4()) for name in (late, early, whole, stuck, stuck_whole)}
    await here.say(fresh, "안녕하세요.")  # warm: the first turn loads what turns need
    model.forget_calls()
    model.fault("drip_stream", agent="counselor", delay_ms=ENDLESS_REPLY_MS)
    slow_stream = asyncio.create_task(heard(here, stuck, ids[stuck]))
    slow_answer = asyncio.create_task(here.send(stuck_whole, "회사 일이 힘들어요.", ids[stuck_whole]))
    await until(lambda: model.calls().get("Counselor", 0) >= 2, what="the replies that will not end")
    await asyncio.sleep(DECIDED_S)
    begun = asyncio.Event()
    model.heal()
    model.fault("drip_stream", agent="counselor", delay_ms=SLOW_REPLY_MS)
    late_stream = asyncio.create_task(heard(here, late, ids[late], begun))
    await asyncio.wait_for(begun.wait(), 30)
    before = sum(model.calls().values())
    early_stream = asyncio.create_task(heard(here, early, ids[early]))
    early_answer = asyncio.create_task(here.send(whole, "발표가 걱정돼요.", ids[whole]))
    await until(lambda: sum(model.calls().values()) >= before + 4, what="analyses and replies of the early turns")

    asked = time.monotonic()
    leaving.terminate()
    for _ in range(20):
        refused = await here.send(fresh, "새 글이에요.")
        if refused.status_code == 503:
            break
    in_danger = await here.send(danger, "오늘 밤에 죽으려고 약을 모아 뒀어요.")
    ended = [await asyncio.wait_for(task, 30) for task in (late_stream, early_stream)]
    answer = await asyncio.wait_for(early_answer, 30)
    stuck_events, stuck_answer = await asyncio.wait_for(asyncio.gather(slow_stream, slow_answer), 30)
    code = leaving.wait()
    took = time.monotonic() - asked

    assert refused.status_code == 503
    assert (refused.json()["code"], int(refused.headers["Retry-After"])) == ("shutting_down", 1)
    assert in_danger.status_code == 200
    assert "109" in in_danger.text
    assert [events[-1].name for events in ended] == ["done", "done"]
    assert answer.status_code == 200, answer.text
    assert (stuck_events[-1].name, stuck_events[-1].data["retryable"]) == ("error", True)
    assert (stuck_answer.status_code, stuck_answer.json()["code"]) == (503, "shutting_down")
    assert (code, took < PLATFORM_GRACE_S) == (0, True), took
    assert "lease_left" not in {line.get("event") for line in leaving.lines}

    model.reset()
    store = DocumentConversationStore(database, Session)
    boxes = [(await store.load(ConversationId(one))).mailbox.box for one in (stuck, stuck_whole)]
    assert [(box.lease, len(box.inbox)) for box in boxes] == [(None, 1), (None, 1)]
    replies = await asyncio.gather(
        there.say(stuck, "요즘 잠을 잘 못 자요.", ids[stuck]),
        there.say(stuck_whole, "회사 일이 힘들어요.", ids[stuck_whole]),
    )
    assert [reply["seq"] for reply in replies] == [1, 1]
