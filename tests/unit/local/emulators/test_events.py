"""Recorded requests of the Firestore emulator are kept and delivered as by Eventarc."""

import asyncio
import base64

import httpx
import pytest
from google.events.cloud.firestore import DocumentEventData

from local.embedded.delivery import DeliveryPolicy
from local.emulators.events.shim import EventShim
from shared.adapters.system_clock import SystemClock
from shared.engine.jobs import JobResult
from shared.observability.formats import TextFormatter
from tests.fakes.event_receiver import EventReceiver, token_for

PROJECT = "demo-a"
PATH = "sessions/x/part_transitions/1-2"
FAST = DeliveryPolicy(first_delay_s=0.01, max_delay_s=0.05)


def posted(path=PATH, event_id="e1", **changed):
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

    async def start(url, port=0, *, held=False, **more):
        targets = {"on_part_transition": url}
        made.append(EventShim(tmp_path / "events", targets, token_for, SystemClock(), **more))
        await made[-1].start(port, held=held)
        return made[-1]

    yield start
    for shim in made:
        await shim.stop()


async def idle(shim):
    async with asyncio.timeout(10):
        await shim.idle()


async def test_an_event_is_delivered_as_eventarc_sends_it(shims, receiver):
    shim = await shims(receiver.url)
    headers, body = posted()
    assert await emit(shim, headers, body) == 200
    await idle(shim)
    (sent,), (got,) = receiver.headers, receiver.bodies
    assert receiver.statuses == [200]
    assert [document.document_id for document in receiver.documents] == ["1-2"]
    assert got == base64.b64decode(body)
    assert (sent["content-type"], sent["ce-id"], sent["ce-document"]) == ("application/protobuf", "e1", PATH)
    assert sent["ce-source"] == f"//firestore.googleapis.com/projects/{PROJECT}/databases/(default)"


async def test_a_failing_function_gets_the_same_event_until_it_accepts_it(shims):
    async with EventReceiver(PROJECT, JobResult.RETRY, JobResult.RETRY, JobResult.DONE) as receiver:
        shim = await shims(receiver.url, policy=FAST)
        now = SystemClock().now().isoformat()
        await emit(shim, *posted(**{"ce-time": now}))
        await idle(shim)
        assert receiver.statuses == [503, 503, 200]
        assert {each["ce-id"] for each in receiver.headers} == {"e1"}


async def test_accepted_events_survive_a_restart_of_the_shim_on_the_same_port(shims, receiver):
    shim = await shims(receiver.url, held=True)
    port = int(shim.address.rpartition(":")[2])
    await emit(shim, *posted())
    await shim.stop()
    again = await shims(receiver.url, port)
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


async def test_an_invalid_event_is_refused_and_the_log_names_the_reason(shims, receiver, caplog):
    shim = await shims(receiver.url)
    for reason, (headers, body) in BAD.items():
        assert await emit(shim, headers, body) == 400
        assert reason in TextFormatter().format(caplog.records[-1])
    assert await emit(shim, *posted(), trigger="unknown") == 404
    await idle(shim)
    assert not receiver.documents
