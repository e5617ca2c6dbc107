"""What was found in a message when it came goes with it to its turn."""

import asyncio
from dataclasses import replace

import pytest

from shared.domain.errors import MessageIdConflict
from shared.engine.admission import Admission
from shared.engine.flow import Outcome
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import ScreenedMessage
from tests.fakes.engine import CONVERSATION, USER, SmallService, incoming

CRISIS = ScreenedMessage(crisis=Finding(outcome=CrisisOutcome.CRISIS, rule_ids=("r",)))
NOTHING = ScreenedMessage()


@pytest.fixture
async def service():
    service = SmallService()
    await service.open()
    service.screeneds = []

    def outcome(turn):
        service.screeneds.append((turn.text, turn.screened))
        return Outcome(reply="ok")

    service.flow.outcome = outcome
    return service


async def test_each_turn_gets_the_reading_of_its_own_message(service):
    turns = service.instance()
    service.flow.hold = asyncio.Event()
    sent = [replace(incoming("m1", "one"), screened=CRISIS), replace(incoming("m2", "two"), screened=NOTHING)]
    streams = [await turns.submit(message) for message in sent]
    service.flow.hold.set()
    for stream in streams:
        await stream.end()
    assert service.screeneds == [("one", CRISIS), ("two", NOTHING)]


async def test_a_message_that_was_left_behind_is_read_anew_by_its_turn(service):
    here, gone = service.instance(), Admission(service.store, service.clock, service.limits, "gone")
    await gone.admit(replace(incoming("m1", "one"), screened=CRISIS))
    service.clock.advance(60)
    stream = await here.attach(USER, CONVERSATION, "m1", wait=True)
    await stream.end()
    assert service.screeneds == [("one", None)]


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


async def test_a_reading_never_goes_with_another_text_that_bears_its_id(service):
    gone = Admission(service.store, service.clock, service.limits, "gone")
    await gone.admit(incoming("m1", "one"))
    service.clock.advance(60)
    store = SlowAtFirst(service.store, service.flow.reached)
    here = service.instance(store=store)
    other = asyncio.create_task(here.submit(replace(incoming("m1", "other"), screened=CRISIS)))
    await store.screened.wait()
    stream = await here.submit(replace(incoming("m2", "two"), screened=NOTHING))
    await stream.end()
    assert service.screeneds == [("one", None), ("two", NOTHING)]
    with pytest.raises(MessageIdConflict):
        await other
