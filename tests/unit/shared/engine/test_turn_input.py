"""A turn's input: the screening of its message on arrival, and whether it can be an answer to the newest reply."""

import asyncio
from copy import copy
from dataclasses import replace

import pytest

from shared.domain.errors import MessageIdConflict
from shared.engine.admission import Admission
from shared.engine.flow import Outcome
from shared.safety.screening import ScreenedMessage
from tests.builders.small_service import CONVERSATION, PRESSING, USER, answered, ended, incoming

NOTHING = ScreenedMessage()


@pytest.fixture
async def inputs(service):
    """The text, the screening and `answers` of each turn."""
    turns = []

    def outcome(turn):
        turns.append((turn.text, turn.screened, turn.answers))
        service.clock.advance(1)
        return Outcome(reply="shall we stop?")

    service.flow.outcome = outcome
    return turns


async def admit_at_dead_instance(service, message):
    """Admit a message at an instance that dies before it answers."""
    await Admission(service.store, service.clock, service.limits, "gone").admit(message)
    service.clock.advance(60)


async def test_each_turn_gets_its_own_screening_and_a_message_sent_during_a_turn_is_no_answer(service, inputs):
    turns = service.instance()
    service.flow.hold = asyncio.Event()
    sent = [replace(incoming("m1", "one"), screened=PRESSING), replace(incoming("m2", "two"), screened=NOTHING)]
    streams = [await turns.submit(message) for message in sent]
    service.flow.hold.set()
    for stream in streams:
        await ended(stream)
    await answered(turns, "m3", "yes")
    assert inputs == [("one", PRESSING, True), ("two", NOTHING, False), ("yes", None, True)]


async def test_a_message_of_a_dead_instance_is_resumed_without_its_screening(service, inputs):
    await admit_at_dead_instance(service, replace(incoming("m1", "one"), screened=PRESSING))
    await ended(await service.instance().attach(USER, CONVERSATION, "m1", wait=True))
    assert [(text, screened) for text, screened, _ in inputs] == [("one", None)]


async def test_the_document_of_a_message_outlives_its_instance_and_is_part_of_the_message(service):
    named = []
    service.flow.outcome = lambda turn: named.append(turn.document_id) or Outcome(reply="read")
    message = replace(incoming("m1", "one"), document_id="d1")
    await admit_at_dead_instance(service, message)
    turns = service.instance()
    await ended(await turns.attach(USER, CONVERSATION, "m1", wait=True))
    assert named == ["d1"]
    with pytest.raises(MessageIdConflict):
        await turns.submit(replace(message, document_id="d2"))


async def test_a_screening_is_never_used_for_another_text_with_the_same_message_id(service, inputs):
    await admit_at_dead_instance(service, incoming("m1", "one"))
    store, screened = copy(service.store), asyncio.Event()

    async def load_slowly(conversation_id):
        if not screened.is_set():
            screened.set()
            await service.flow.reached.wait()
        return await service.store.load(conversation_id)

    store.load = load_slowly
    here = service.instance(store=store)
    other = asyncio.create_task(here.submit(replace(incoming("m1", "other"), screened=PRESSING)))
    await screened.wait()
    await ended(await here.submit(replace(incoming("m2", "two"), screened=NOTHING)))
    assert [(text, screened) for text, screened, _ in inputs] == [("one", None), ("two", NOTHING)]
    with pytest.raises(MessageIdConflict):
        await other
