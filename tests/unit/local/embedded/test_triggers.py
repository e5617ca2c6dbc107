import asyncio

import pytest
from google.events.cloud.firestore import DocumentEventData

from local.background import inner_door
from local.embedded.database import SqliteDocumentDatabase
from local.embedded.delivery import DeliveryPolicy
from local.embedded.outbox import Outbox
from local.embedded.triggers import TriggerDispatcher
from shared.adapters.system_clock import SystemClock
from shared.domain.errors import DocumentExists
from shared.engine.jobs import CreatedDocument
from shared.ports.document_writes import Create, Put, ReplaceDocument

PATTERNS = {
    "transition": "sessions/{conversation_id}/part_transitions/{transition}",
    "feedback": "sessions/{conversation_id}/planner_feedback/{feedback}",
}
FAST = DeliveryPolicy(max_attempts=4, first_delay_s=0.002, max_delay_s=0.01)
PATH = "sessions/c1/part_transitions/1-2"


class Handler:
    """Answers with the statuses it is given, the last one for ever."""

    def __init__(self, *statuses):
        self.statuses = list(statuses) or [204]
        self.calls = []

    async def __call__(self, trigger_id, headers, body):
        self.calls.append((trigger_id, headers, body))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if isinstance(status, Exception):
            raise status
        return status

    @property
    def documents(self):
        return [headers["ce-document"] for _, headers, _ in self.calls]


@pytest.fixture
def outbox():
    return Outbox(PATTERNS, SystemClock())


@pytest.fixture
async def database(file_path, outbox):
    database = await SqliteDocumentDatabase.open(file_path, outbox=outbox)
    yield database
    await database.aclose()


@pytest.fixture
async def dispatch(database, outbox):
    dispatchers = []

    def dispatch(handler, policy=FAST):
        dispatcher = TriggerDispatcher(database.file, outbox, handler, SystemClock(), project="demo", policy=policy)
        dispatchers.append(dispatcher)
        dispatcher.start()
        return dispatcher

    yield dispatch
    for dispatcher in dispatchers:
        await dispatcher.stop(grace_s=0.01)


async def idle(dispatcher):
    async with asyncio.timeout(10):
        await dispatcher.idle()


async def pending(database):
    return [row[0] for row in await database.file.fetch("SELECT payload ->> 'path' FROM outbox ORDER BY rowid")]


async def test_a_created_document_is_announced_as_a_binary_cloud_event(database, dispatch):
    handler = Handler()
    dispatcher = dispatch(handler)
    await database.commit([Create(PATH, {"to": 2})])
    await idle(dispatcher)
    ((trigger_id, headers, body),) = handler.calls
    assert trigger_id == "transition"
    assert headers.pop("ce-id")
    assert headers.pop("ce-time").startswith("20")
    assert headers == {
        "content-type": "application/protobuf",
        "ce-specversion": "1.0",
        "ce-type": "google.cloud.firestore.document.v1.created",
        "ce-source": "//firestore.googleapis.com/projects/demo/databases/(default)",
        "ce-subject": f"documents/{PATH}",
        "ce-document": PATH,
        "ce-database": "(default)",
        "ce-namespace": "(default)",
        "ce-project": "demo",
        "ce-location": "local",
        "ce-dataschema": "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto",
    }
    named = DocumentEventData.deserialize(body).value.name
    assert named == f"projects/demo/databases/(default)/documents/{PATH}"


async def test_the_functions_decoder_reads_what_is_announced(database, dispatch):
    handler = Handler()
    dispatcher = dispatch(handler)
    await database.commit([Create(PATH, {"to": 2})])
    await idle(dispatcher)
    ((_, headers, body),) = handler.calls
    assert inner_door("demo").created(headers, body) == CreatedDocument("c1", "part_transitions", "1-2")


async def test_a_put_that_creates_is_an_event_and_one_that_overwrites_is_none(database):
    (version,) = await database.commit([Put(PATH, {})])
    (version,) = await database.commit([ReplaceDocument(PATH, {"n": 1}, version)])
    await database.commit([Put(PATH, {"n": 2})])
    assert await pending(database) == [PATH]


@pytest.mark.parametrize(
    "path",
    [
        "sessions/c1",
        "sessions/c1/turns/1",
        "sessions/c1/part_transitions/1/deeper/2",
        "other/x/sessions/c1/part_transitions/1",
    ],
)
async def test_a_path_that_fits_no_pattern_is_no_event(database, path):
    await database.commit([Create(path, {})])
    assert await pending(database) == []


async def test_a_commit_that_fails_leaves_no_event(database):
    await database.commit([Create("sessions/c1", {})])
    with pytest.raises(DocumentExists):
        await database.commit([Create(PATH, {}), Create("sessions/c1", {})])
    assert await pending(database) == []


async def test_each_event_goes_to_the_trigger_of_its_pattern(database, dispatch):
    handler = Handler()
    dispatcher = dispatch(handler)
    await database.commit([Create(PATH, {}), Create("sessions/c1/planner_feedback/f1", {})])
    await idle(dispatcher)
    assert {(trigger_id, headers["ce-document"]) for trigger_id, headers, _ in handler.calls} == {
        ("transition", PATH),
        ("feedback", "sessions/c1/planner_feedback/f1"),
    }


async def test_an_event_is_delivered_again_under_the_same_id_until_the_handler_takes_it(database, dispatch):
    handler = Handler(503, RuntimeError("boom"), 204)
    dispatcher = dispatch(handler)
    await database.commit([Create(PATH, {})])
    await idle(dispatcher)
    assert len(handler.calls) == 3
    assert len({headers["ce-id"] for _, headers, _ in handler.calls}) == 1
    assert await pending(database) == []


async def test_after_the_last_attempt_an_event_is_given_up_and_kept_for_inspection(database, dispatch, caplog):
    handler = Handler(500)
    dispatcher = dispatch(handler)
    await database.commit([Create(PATH, {})])
    await idle(dispatcher)
    assert len(handler.calls) == FAST.max_attempts
    assert "given up after 4 attempts" in caplog.text
    assert await database.file.fetch("SELECT state FROM outbox") == [("failed",)]


async def test_events_of_before_a_restart_are_delivered_after_it(file_path, database):
    await database.commit([Create(PATH, {})])
    await database.aclose()
    outbox = Outbox(PATTERNS, SystemClock())
    again = await SqliteDocumentDatabase.open(file_path, outbox=outbox)
    handler = Handler()
    dispatcher = TriggerDispatcher(again.file, outbox, handler, SystemClock(), project="demo")
    dispatcher.start()
    await idle(dispatcher)
    await dispatcher.stop()
    await again.aclose()
    assert handler.documents == [PATH]


async def test_a_path_beyond_ascii_fits_into_headers(database, dispatch):
    handler = Handler()
    dispatcher = dispatch(handler)
    await database.commit([Create("sessions/c1/planner_feedback/가 1", {})])
    await idle(dispatcher)
    ((_, headers, body),) = handler.calls
    assert headers["ce-document"] == "sessions/c1/planner_feedback/%EA%B0%80%201"
    assert all(value.isascii() and " " not in value for value in headers.values())
    assert DocumentEventData.deserialize(body).value.name.endswith("/가 1")
