"""What a turn knows of its message: what was found in it when it came, and whether it could answer the newest reply."""

import asyncio
from dataclasses import replace

import pytest

from shared.domain.errors import MessageIdConflict
from shared.engine.admission import Admission
from shared.engine.flow import Outcome
from shared.safety.screening import ScreenedMessage
from tests.builders.small_service import CONVERSATION, PRESSING, USER, answered, ended, incoming

NOTHING = ScreenedMessage()


@pytest.fixture
async def told(service):
    """The text, the finding and whether it could be an answer, of each turn."""
    turns = []

    def outcome(turn):
        turns.append((turn.text, turn.screened, turn.answers))
        service.clock.advance(1)
        return Outcome(reply="shall we stop?")

    service.flow.outcome = outcome
    return turns


async def leave_behind(service, message):
    """Let a message come to an instance that is gone."""
    await Admission(service.store, service.clock, service.limits, "gone").admit(message)
    service.clock.advance(60)


async def test_each_turn_gets_its_own_finding_and_a_message_sent_meanwhile_is_no_answer_to_the_reply(service, told):
    turns = service.instance()
    service.flow.hold = asyncio.Event()
    sent = [replace(incoming("m1", "one"), screened=PRESSING), replace(incoming("m2", "two"), screened=NOTHING)]
    streams = [await turns.submit(message) for message in sent]
    service.flow.hold.set()
    for stream in streams:
        await ended(stream)
    await answered(turns, "m3", "yes")
    assert told == [("one", PRESSING, True), ("two", NOTHING, False), ("yes", None, True)]


async def test_a_message_that_was_left_behind_is_read_anew_by_its_turn(service, told):
    await leave_behind(service, replace(incoming("m1", "one"), screened=PRESSING))
    await ended(await service.instance().attach(USER, CONVERSATION, "m1", wait=True))
    assert [(text, screened) for text, screened, _ in told] == [("one", None)]


class SlowAtFirst:
    """A store whose first reading of the conversation takes until something has happened."""

    def __init__(self, store, until):
        self._store = store
        self._until = until
        self.screened = asyncio.Event()

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def load(self, conversation_id):
        if not self.screened.is_set():
            self.screened.set()
            await self._until.wait()
        return await self._store.load(conversation_id)


async def test_a_finding_never_goes_with_another_text_that_bears_its_id(service, told):
    await leave_behind(service, incoming("m1", "one"))
    store = SlowAtFirst(service.store, service.flow.reached)
    here = service.instance(store=store)
    other = asyncio.create_task(here.submit(replace(incoming("m1", "other"), screened=PRESSING)))
    await store.screened.wait()
    await ended(await here.submit(replace(incoming("m2", "two"), screened=NOTHING)))
    assert [(text, screened) for text, screened, _ in told] == [("one", None), ("two", NOTHING)]
    with pytest.raises(MessageIdConflict):
        await other
