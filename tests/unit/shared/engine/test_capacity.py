import asyncio
from dataclasses import replace

import pytest

from shared.contracts.events import Done
from shared.domain.errors import Overloaded, ShuttingDown
from shared.engine.capacity import FIRST_RETRY_SECONDS, LAST_RETRY_SECONDS, Capacity
from tests.builders.small_service import CONVERSATION, PRESSING, USER, SmallService, ended, incoming
from tests.support.polling import until

PLACES = 2


@pytest.fixture
async def service():
    service = SmallService()
    for number in range(4):
        await service.open(conversation_id=f"c{number}")
    service.flow.hold = asyncio.Event()
    return service


@pytest.fixture
def turns(service):
    return service.instance("one", capacity=Capacity(PLACES))


def message(conversation, message_id="m1", **more):
    return replace(incoming(message_id), conversation_id=conversation, **more)


def in_danger(conversation, message_id="m1"):
    return message(conversation, message_id, screened=PRESSING)


async def under_way(service, turns, *conversations):
    streams = [await turns.submit(message(conversation)) for conversation in conversations]
    await until(lambda: len(service.flow.runs) >= len(conversations))
    return streams


class TestAFullInstance:
    async def test_refuses_a_new_message_without_storing_it_and_accepts_it_when_a_turn_has_ended(self, service, turns):
        streams = await under_way(service, turns, "c0", "c1")
        with pytest.raises(Overloaded) as refused:
            await turns.submit(message("c2"))
        assert FIRST_RETRY_SECONDS <= refused.value.retry_after <= LAST_RETRY_SECONDS
        assert (await service.store.load("c2")).mailbox.box.inbox == ()
        service.flow.hold.set()
        assert all([isinstance(await ended(stream), Done) for stream in streams])
        await asyncio.sleep(0)
        assert isinstance(await ended(await turns.submit(message("c2"))), Done)

    async def test_accepts_as_many_simultaneous_messages_as_it_has_places(self, service, turns):
        crowd = [turns.submit(message(f"c{number}")) for number in range(4)]
        came = await asyncio.gather(*crowd, return_exceptions=True)
        assert sum(isinstance(one, Overloaded) for one in came) == 4 - PLACES

    async def test_still_serves_copies_stored_messages_and_users_in_danger(self, service, turns):
        await under_way(service, service.instance("gone"), "c3")
        service.clock.advance(60)
        streams = await under_way(service, turns, "c0", "c1")
        service.flow.hold.set()
        assert await turns.submit(message("c0")) is streams[0]
        assert await turns.attach(USER, "c1", "m1", wait=True) is streams[1]
        assert isinstance(await ended(await turns.submit(message("c3"))), Done)
        assert isinstance(await ended(await turns.submit(in_danger("c2"))), Done)


class TestADrainingInstance:
    async def test_accepts_only_users_in_danger_and_finishes_the_turns_under_way(self, service, turns):
        (stream,) = await under_way(service, turns, "c0")
        draining = asyncio.create_task(turns.drain(10))
        await asyncio.sleep(0)
        with pytest.raises(ShuttingDown):
            await turns.submit(message("c1"))
        assert await turns.submit(message("c0")) is stream
        assert not draining.done()
        service.flow.hold.set()
        assert isinstance(await ended(await turns.submit(in_danger("c1"))), Done)
        await draining
        assert isinstance(stream.ending, Done)
        assert (await turns.submit(message("c0"))).ending == stream.ending

    async def test_releases_the_leases_of_unfinished_turns_and_reports_shutting_down(self, service, turns):
        (stream,) = await under_way(service, turns, "c1")
        queued = await turns.submit(message("c1", "m2"))
        await turns.drain(0.01)
        for one in (stream, queued):
            assert (one.ending.code, one.ending.retryable) == ("shutting_down", True)
        assert (await service.store.load(CONVERSATION)).mailbox.box.lease is None
        with pytest.raises(ShuttingDown):
            await turns.submit(in_danger("c2"))
        service.flow.hold = None
        other = service.instance("two")
        second, first = [await other.submit(message("c1", name)) for name in ("m2", "m1")]
        assert [(await ended(one)).result.seq for one in (first, second)] == [1, 2]

    async def test_resumes_no_message_of_a_dead_instance(self, service, turns):
        await under_way(service, service.instance("gone"), "c0")
        await turns.drain(0)
        with pytest.raises(ShuttingDown):
            await turns.resume("c0")
