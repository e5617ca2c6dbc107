"""What the Firestore emulator posts, by recorded requests, is kept and delivered as Eventarc would."""

import asyncio
import base64
from datetime import timedelta

import httpx
import pytest
from google.events.cloud.firestore import DocumentEventData
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from local.embedded.delivery import DeliveryPolicy
from local.emulators.events.registration import register_triggers
from local.emulators.events.shim import EventShim
from local.listening import InLoopServer, bound
from shared.adapters.system_clock import SystemClock
from shared.contracts.triggers import TRIGGERS
from shared.domain.errors import ConfigError
from shared.engine.jobs import JobResult
from shared.observability.formats import TextFormatter
from tests.fakes.event_receiver import EventReceiver, token_for
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import until

PROJECT = "demo-a"
PATH = "sessions/x/part_transitions/1-2"
FAST = DeliveryPolicy(first_delay_s=0.01, max_delay_s=0.05)


def posted(path=PATH, event_id="e1", **changed):
    """Return headers and body as the emulator sends them."""
    name = f"projects/{PROJECT}/databases/(default)/documents/{path}"
    body = base64.b64encode(DocumentEventData.serialize(DocumentEventData(value={"name": name})))
    headers = {
        "ce-specversion": "1.0",
        "ce-type": "google.cloud.firestore.document.v1.created",
        "ce-source": f"//firestore.googleapis.com/projects/projects/{PROJECT}/databases/(default)",
        "ce-id": event_id,
        "ce-subject": f"documents/{path}",
        "ce-time": "2026-11-22T03:10:00Z",
        "ce-datacontenttype": "application/protobuf",
        "ce-location": "us-central1",
        "ce-project": PROJECT,
        "ce-database": "(default)",
        "ce-namespace": "(default)",
        "ce-document": path,
        "content-type": "application/protobuf",
    }
    return headers | changed, body


async def emit(shim, headers, body, trigger="on_part_transition"):
    async with httpx.AsyncClient(base_url=f"http://{shim.address}") as http:
        path = f"/functions/projects/{PROJECT}/triggers/{trigger}"
        return (await http.post(path, headers=headers, content=body)).status_code


@pytest.fixture
async def receiver():
    async with EventReceiver(PROJECT) as receiver:
        yield receiver


@pytest.fixture
async def shims(tmp_path):
    made = []

    def shim(url, clock=None, **more):
        targets = {"on_part_transition": url}
        made.append(EventShim(tmp_path / "events", targets, token_for, clock or SystemClock(), **more))
        return made[-1]

    yield shim
    for shim in made:
        await shim.stop()


async def idle(shim):
    async with asyncio.timeout(10):
        await shim.idle()


async def test_an_event_is_delivered_as_eventarc_sends_it(shims, receiver):
    shim = shims(receiver.url)
    await shim.start()
    headers, body = posted()
    assert await emit(shim, headers, body) == 200
    await idle(shim)
    (told,), (got,) = receiver.headers, receiver.bodies
    assert receiver.statuses == [200]
    assert [document.document_id for document in receiver.documents] == ["1-2"]
    assert got == base64.b64decode(body)
    event = {name: value for name, value in told.items() if name.startswith("ce-") or name == "content-type"}
    assert event == {
        "content-type": "application/protobuf",
        "ce-specversion": "1.0",
        "ce-id": "e1",
        "ce-type": "google.cloud.firestore.document.v1.created",
        "ce-source": f"//firestore.googleapis.com/projects/{PROJECT}/databases/(default)",
        "ce-subject": f"documents/{PATH}",
        "ce-time": "2026-11-22T03:10:00Z",
        "ce-dataschema": "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto",
        "ce-location": "us-central1",
        "ce-project": PROJECT,
        "ce-database": "(default)",
        "ce-namespace": "(default)",
        "ce-document": PATH,
    }


async def test_a_function_that_fails_gets_the_same_event_again_until_it_takes_it(shims):
    async with EventReceiver(PROJECT, JobResult.RETRY, JobResult.RETRY, JobResult.DONE) as receiver:
        shim = shims(receiver.url, policy=FAST)
        await shim.start()
        now = SystemClock().now().isoformat()
        await emit(shim, *posted(**{"ce-time": now}))
        await idle(shim)
        assert receiver.statuses == [503, 503, 200]
        assert {told["ce-id"] for told in receiver.headers} == {"e1"}


async def test_a_function_that_is_not_there_yet_gets_its_event_later(shims, caplog):
    receiver = EventReceiver(PROJECT)
    shim = shims("http://127.0.0.1:1/", policy=FAST)
    await shim.start()
    await emit(shim, *posted())
    await until(lambda: "does not answer" in caplog.text)
    await shim.stop()
    async with receiver:
        again = shims(receiver.url, policy=FAST)
        await again.start()
        await idle(again)
        assert receiver.statuses == [200]


async def test_held_events_are_released_newest_first_in_so_many_copies_as_are_wanted(shims, receiver):
    shim = shims(receiver.url, policy=DeliveryPolicy(concurrency=1, newest_first=True, copies=2))
    await shim.start(held=True)
    for name in ("1-2", "2-3", "1-3"):
        await emit(shim, *posted(f"sessions/x/part_transitions/{name}", name))
    assert not receiver.documents
    shim.release()
    await idle(shim)
    assert [document.document_id for document in receiver.documents] == ["1-3", "1-3", "2-3", "2-3", "1-2", "1-2"]


async def test_nothing_is_delivered_before_the_delay_is_over(shims, receiver):
    clock = SettableClock()
    shim = shims(receiver.url, clock=clock, delay=timedelta(minutes=1))
    await shim.start()
    await emit(shim, *posted())
    await idle(shim)
    assert not receiver.documents
    clock.advance(61)
    shim.wake()
    await idle(shim)
    assert len(receiver.documents) == 1


async def test_an_event_that_comes_again_while_it_waits_is_delivered_once(shims, receiver):
    shim = shims(receiver.url)
    await shim.start(held=True)
    assert [await emit(shim, *posted()), await emit(shim, *posted())] == [200, 200]
    shim.release()
    await idle(shim)
    assert len(receiver.documents) == 1
    await emit(shim, *posted())
    await idle(shim)
    assert len(receiver.documents) == 2


async def test_accepted_events_outlive_the_shim_and_its_port_can_be_had_again(shims, receiver):
    shim = shims(receiver.url)
    await shim.start(held=True)
    port = int(shim.address.rpartition(":")[2])
    await emit(shim, *posted())
    await shim.stop()
    again = shims(receiver.url)
    await again.start(port)
    assert again.address == shim.address
    await idle(again)
    assert receiver.statuses == [200]


BAD = {
    "ce-id": posted(**{"ce-id": ""}),
    "another type": posted(**{"ce-type": "google.cloud.firestore.document.v1.deleted"}),
    "no base64": (posted()[0], b"no base64!"),
    "no base64 of a document": (posted()[0], base64.b64encode(b"\xff\xff")),
    "its body is no base64": (posted()[0], b""),
}


async def test_what_is_no_event_is_refused_and_named(shims, receiver, caplog):
    shim = shims(receiver.url)
    await shim.start()
    for reason, (headers, body) in BAD.items():
        assert await emit(shim, headers, body) == 400
        assert reason in TextFormatter().format(caplog.records[-1])
    assert await emit(shim, *posted(), trigger="unknown") == 404
    await idle(shim)
    assert not receiver.documents


async def test_each_trigger_is_registered_for_created_documents_and_a_pattern_that_fits_none_is_refused():
    registered = {}

    async def take(request):
        registered[request.path_params["project"], request.query_params["eventarcTriggerId"]] = await request.json()
        return Response()

    path = "/emulator/v1/projects/{project}/eventarcTrigger"
    server = InLoopServer(Starlette(routes=[Route(path, take, methods=["POST"])]), bound(0))
    server.start()
    address = server.address.removeprefix("http://")
    # before it spoils the emulator
    for pattern in ("", "sessions", "sessions/{id}/turns", "//", "sessions//turns/{n}", "/sessions/{id}"):
        with pytest.raises(ConfigError, match="no path of documents"):
            await register_triggers(address, "demo", {"good": "a/{b}", "bad": pattern})
    assert not registered
    await register_triggers(address, "demo", TRIGGERS)
    await server.stop()
    assert registered == {
        ("demo", trigger): {
            "eventType": "google.cloud.firestore.document.v1.created",
            "database": "(default)",
            "namespace": "(default)",
            "document": {"value": pattern, "matchType": "PATH_PATTERN"},
        }
        for trigger, pattern in TRIGGERS.items()
    }
