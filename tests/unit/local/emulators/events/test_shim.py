"""What the emulator posts, kept and delivered as Eventarc would; the emulator's part is played by recorded requests."""

import asyncio
import base64
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from google.events.cloud.firestore import DocumentEventData

from local.embedded.delivery import DeliveryPolicy
from local.emulators.events.shim import EventShim
from shared.adapters.system_clock import SystemClock
from shared.engine.jobs import JobResult
from shared.observability.formats import TextFormatter
from tests.fakes.event_receiver import EventReceiver, token_for
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import eventually

PROJECT = "demo-a"
PATH = "sessions/x/part_transitions/1-2"
FAST = DeliveryPolicy(first_delay_s=0.01, max_delay_s=0.05)
ONE_BY_ONE = DeliveryPolicy(concurrency=1)


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


async def emit(shim, headers, body, trigger="on_part_transition", method="POST"):
    async with httpx.AsyncClient(base_url=f"http://{shim.address}") as http:
        path = f"/functions/projects/{PROJECT}/triggers/{trigger}"
        return (await http.request(method, path, headers=headers, content=body)).status_code


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

    async def tried():
        return "does not answer" in caplog.text

    await eventually(tried)
    await shim.stop()
    async with receiver:
        again = shims(receiver.url, policy=FAST)
        await again.start()
        await idle(again)
        assert receiver.statuses == [200]


async def test_each_event_is_sent_in_so_many_copies(shims, receiver):
    shim = shims(receiver.url, policy=DeliveryPolicy(copies=3))
    await shim.start()
    await emit(shim, *posted())
    await idle(shim)
    assert len(receiver.documents) == 3
    assert len({told["ce-id"] for told in receiver.headers}) == 1


async def test_held_events_are_released_newest_first(shims, receiver):
    shim = shims(receiver.url, policy=replace(ONE_BY_ONE, newest_first=True))
    await shim.start(held=True)
    for name in ("1-2", "2-3", "1-3"):
        await emit(shim, *posted(f"sessions/x/part_transitions/{name}", name))
    assert not receiver.documents
    shim.release()
    await idle(shim)
    assert [document.document_id for document in receiver.documents] == ["1-3", "2-3", "1-2"]


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


@pytest.mark.parametrize(
    ("changed", "body", "reason"),
    [
        ({"ce-id": ""}, None, "ce-id"),
        ({"ce-type": "google.cloud.firestore.document.v1.deleted"}, None, "another type"),
        ({}, b"no base64!", "no base64"),
        ({}, base64.b64encode(b"\xff\xff"), "no base64"),
        ({}, b"", "no base64"),
    ],
)
async def test_what_is_no_event_is_refused_and_named(shims, receiver, changed, body, reason, caplog):
    shim = shims(receiver.url)
    await shim.start()
    headers, right = posted(**changed)
    assert await emit(shim, headers, right if body is None else body) == 400
    assert reason in TextFormatter().format(caplog.records[-1])
    await idle(shim)
    assert not receiver.documents
