"""From the creation of a document in the Firestore emulator to the call of its trigger's function."""

import contextlib

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

from local.emulators.events.registration import register_triggers
from local.emulators.events.shim import EventShim
from local.listening import bound
from local.ports import HOST
from shared.adapters.system_clock import SystemClock
from shared.contracts.triggers import TRIGGERS
from shared.engine.jobs import CreatedDocument
from tests.fakes.event_receiver import EventReceiver, token_for
from tests.support.emulators import new_project, running_emulator
from tests.support.polling import until

pytestmark = pytest.mark.emulator


@pytest.fixture
def port():
    """The port of the shim: the emulator gets it once, at its start."""
    with contextlib.closing(bound(0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def emulator(port, tmp_path):
    with running_emulator(tmp_path / "emulator.log", functions=f"{HOST}:{port}") as emulator:
        yield emulator


async def test_only_the_creation_of_a_triggers_document_is_delivered_as_an_event(emulator, port, tmp_path, monkeypatch):
    project = new_project()
    for _ in range(2):  # as at each start: the second time changes nothing
        await register_triggers(emulator.address, project, TRIGGERS)
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", emulator.address)
    client = firestore.AsyncClient(project=project, credentials=AnonymousCredentials())
    async with EventReceiver(project) as receiver:
        shim = EventShim(tmp_path / "events", dict.fromkeys(TRIGGERS, receiver.url), token_for, SystemClock())
        await shim.start(port)
        await client.document("sessions/x").create({"n": 1})
        await client.document("sessions/x/turns/1").create({"n": 1})
        await client.document("sessions/x/part_transitions/1-2/deeper/1").create({"n": 1})
        first = client.document("sessions/x/part_transitions/1-2")
        await first.set({"to_part": 2, "reason": "다 이야기했어요"})
        await first.set({"n": 2})
        await first.delete()
        await client.document("sessions/x/part_transitions/2-3").create({"n": 1})  # the emulator keeps the order
        await until(lambda: len(receiver.statuses) >= 2, what="two deliveries")
        await shim.idle()
        await shim.stop()
    assert receiver.documents == [CreatedDocument("x", "part_transitions", name) for name in ("1-2", "2-3")]
    assert receiver.statuses == [200, 200]
    assert receiver.headers[0]["ce-source"] == f"//firestore.googleapis.com/projects/{project}/databases/(default)"
    assert receiver.headers[0]["content-type"] == "application/protobuf"
    assert "다 이야기했어요".encode() in receiver.bodies[0]
