"""A document created in the real Firestore emulator, until a function has done its work: the whole way of a trigger."""

import asyncio
import contextlib
import sqlite3

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

from functions.planner import wiring as planner
from local.embedded.delivery import DeliveryPolicy
from local.emulators.events.registration import register_triggers
from local.emulators.events.shim import FILE, EventShim
from local.functions import function_app
from local.listening import InLoopServer, bound
from local.ports import HOST
from shared.adapters.eventarc.decode import CreatedEvents
from shared.adapters.system_clock import SystemClock
from shared.contracts.triggers import TRIGGERS
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.errors import Unauthenticated
from shared.engine.jobs import CreatedDocument
from shared.web.invoker_auth import InvokerAuth
from tests.fakes.background_room import Room, transition
from tests.fakes.counselling import session, task
from tests.fakes.event_receiver import EventReceiver, token_for
from tests.support.emulators import new_project, running_emulator
from tests.support.polling import eventually
from tests.support.process import ReadyProcess

pytestmark = pytest.mark.emulator

QUICK = DeliveryPolicy(first_delay_s=0.02, max_delay_s=0.2)
SHIM = """
import asyncio, sys
from pathlib import Path
from local.emulators.events.shim import EventShim
from shared.adapters.system_clock import SystemClock
from tests.fakes.event_receiver import token_for

async def main(directory, port, url):
    shim = EventShim(Path(directory), {"on_part_transition": url}, token_for, SystemClock())
    await shim.start(int(port), held=True)
    print(f"ready at http://{shim.address}", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def port():
    """The port of every shim here: the emulator is told of it once, at its start."""
    with contextlib.closing(bound(0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture(scope="module")
def emulator(port, tmp_path_factory):
    log = tmp_path_factory.mktemp("firestore") / "emulator.log"
    with running_emulator(log, functions=f"{HOST}:{port}") as emulator:
        yield emulator


@pytest.fixture
async def project(emulator):
    project = new_project()
    await register_triggers(emulator.address, project, TRIGGERS)
    await register_triggers(emulator.address, project, TRIGGERS)  # as at each start: it changes nothing
    return project


@pytest.fixture
def client(emulator, project, monkeypatch):
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", emulator.address)
    return firestore.AsyncClient(project=project, credentials=AnonymousCredentials())


@pytest.fixture
async def shim_to(port, tmp_path):
    """Start a shim whose events all go to one address."""
    async with contextlib.AsyncExitStack() as stack:

        async def shim_to(url, policy=QUICK, *, held=False):
            targets = dict.fromkeys(TRIGGERS, url)
            shim = EventShim(tmp_path / "events", targets, token_for, SystemClock(), policy=policy)
            await shim.start(port, held=held)
            stack.push_async_callback(shim.stop)
            return shim

        yield shim_to


async def told(receiver, times):
    async def enough():
        return len(receiver.statuses) >= times

    await eventually(enough, what=f"{times} deliveries")


async def accepted(directory, times):
    def count():
        with contextlib.closing(sqlite3.connect(directory / FILE)) as file:
            return file.execute("SELECT count(*) FROM outbox").fetchone()[0]

    async def enough():
        return count() >= times

    await eventually(enough, what=f"{times} accepted events")


async def test_a_created_transition_reaches_its_function_decoded(client, project, shim_to):
    async with EventReceiver(project) as receiver:
        shim = await shim_to(receiver.url)
        await client.document("sessions/x/part_transitions/1-2").create({"to_part": 2, "reason": "다 이야기했어요"})
        await told(receiver, 1)
        await shim.idle()
    assert (receiver.documents, receiver.statuses) == ([CreatedDocument("x", "part_transitions", "1-2")], [200])
    assert receiver.headers[0]["ce-source"] == f"//firestore.googleapis.com/projects/{project}/databases/(default)"
    assert receiver.headers[0]["content-type"] == "application/protobuf"
    assert "다 이야기했어요".encode() in receiver.bodies[0]


async def test_only_the_creation_of_documents_that_a_trigger_names_is_an_event(client, project, shim_to):
    async with EventReceiver(project) as receiver:
        shim = await shim_to(receiver.url)
        await client.document("sessions/x").create({"n": 1})
        await client.document("sessions/x/turns/1").create({"n": 1})
        await client.document("sessions/x/part_transitions/1-2/deeper/1").create({"n": 1})
        first = client.document("sessions/x/part_transitions/1-2")
        await first.set({"n": 1})
        await first.set({"n": 2})
        await first.delete()
        await client.document("sessions/x/part_transitions/2-3").create({"n": 1})  # the emulator keeps the order
        await told(receiver, 2)
        await shim.idle()
    assert [document.document_id for document in receiver.documents] == ["1-2", "2-3"]


async def test_the_planner_function_carries_out_what_the_document_asks_for(client, project, shim_to):
    room = Room()
    await room.open(
        session(task(status=TaskStatus.SUFFICIENT), plan_status=PlanStatus.PLANNING), ("하나",), (transition("1-2"),)
    )
    listener = bound(0)
    url = f"http://{HOST}:{listener.getsockname()[1]}/"

    class Eventarc:
        async def verify(self, authorization):
            if authorization != f"Bearer {token_for(url)}":
                raise Unauthenticated("another service")

    planner.COMPOSITION.install(room.parts(InvokerAuth(Eventarc(), CreatedEvents(project))))
    server = InLoopServer(function_app("planner", "on_part_transition"), listener)
    server.start()
    try:
        await shim_to(url, DeliveryPolicy(copies=3))
        await client.document("sessions/c1/part_transitions/1-2").create({"to_part": 2})

        async def planned():
            state = await room.session()
            return state.current_part is Part.EXPLORATION and state

        state = await eventually(planned, what="the plan")
    finally:
        await server.stop()
    assert len({task.id for task in state.tasks}) == len(state.tasks)


async def test_copies_come_in_threes_and_in_reverse_order(client, project, shim_to, tmp_path):
    async with EventReceiver(project) as receiver:
        worst = DeliveryPolicy(copies=3, concurrency=1, newest_first=True)
        shim = await shim_to(receiver.url, worst, held=True)
        for name in ("1-2", "2-3"):
            await client.document(f"sessions/x/part_transitions/{name}").create({})
        await accepted(tmp_path / "events", 2)
        assert not receiver.documents
        shim.release()
        await told(receiver, 6)
        await shim.idle()
    assert [document.document_id for document in receiver.documents] == ["2-3"] * 3 + ["1-2"] * 3


async def test_an_event_that_was_accepted_is_delivered_though_kill_9_took_the_shim(
    client, project, port, shim_to, tmp_path
):
    async with EventReceiver(project) as receiver:
        arguments = ["-c", SHIM, str(tmp_path / "events"), str(port), receiver.url]
        doomed = ReadyProcess(arguments, {}, tmp_path / "shim.log")
        try:
            await asyncio.to_thread(doomed.start)
            await client.document("sessions/x/part_transitions/1-2").create({})
            await accepted(tmp_path / "events", 1)
        finally:
            await asyncio.to_thread(doomed.end)  # SIGKILL
        assert not receiver.documents
        shim = await shim_to(receiver.url)
        await told(receiver, 1)
        await shim.idle()
    assert receiver.documents == [CreatedDocument("x", "part_transitions", "1-2")]
