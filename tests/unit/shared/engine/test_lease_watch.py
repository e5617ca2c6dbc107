"""A waiting instance tells a dead lease holder from a slow one by its own monotonic clock alone."""

import asyncio

import pytest

from shared.engine.admission import Admission, Limits
from shared.engine.lease import RENEW_SECONDS, TAKEOVER_SECONDS
from tests.builders.small_service import SmallFlow, SmallService, answered, incoming
from tests.fakes.virtual_time import LoopClock, in_virtual_time

HOUR = 3600.0
LONG_TURN = 25.0


class SlowStore:
    """A store with latency, which may stop to answer."""

    def __init__(self, store, there=0.0, back=0.0):
        self._store = store
        self.there, self.back = there, back
        self.answers = asyncio.Event()
        self.answers.set()
        self.answers_renewals = asyncio.Event()
        self.answers_renewals.set()

    def __getattr__(self, name):
        call = getattr(self._store, name)

        async def slowly(*args, **more):
            await self.answers.wait()
            await asyncio.sleep(self.there)
            try:
                return await call(*args, **more)
            finally:
                await asyncio.sleep(self.back)

        return slowly

    async def save_mailbox(self, mailbox):
        await self.answers_renewals.wait()
        return await self.__getattr__("save_mailbox")(mailbox)


async def opened():
    service = SmallService()
    service.clock = LoopClock()
    await service.open()
    return service


def instance(service, owner, *, ahead=0.0, flow=None, store=None):
    service.clock = LoopClock(ahead)
    return service.instance(owner, flow=flow, store=store)


async def taking(flow, seconds):
    flow.hold = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, flow.hold.set)


@pytest.mark.parametrize("ahead", [-HOUR, 0.0, 8.0])
@pytest.mark.parametrize(("there", "back"), [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (0.0, 2.0)])
@pytest.mark.parametrize("near", [True, False], ids=["slow for the holder", "slow for both"])
def test_a_live_turn_is_not_taken_over_despite_clock_skew_and_two_seconds_of_store_latency(ahead, there, back, near):
    """If only the holder's store is slow, the watcher sends nothing new: a conflict costs two more round trips."""

    async def story():
        service, slow, other = await opened(), SmallFlow(), SmallFlow()
        far = SlowStore(service.store, there, back)
        holder = instance(service, "holder", flow=slow, store=far)
        await taking(slow, LONG_TURN)
        first = await holder.submit(incoming("m1"))
        watcher = instance(service, "watcher", ahead=ahead, flow=other, store=None if near else far)
        streams = [first, await watcher.submit(incoming("m1"))]
        if not near:
            streams.append(await watcher.submit(incoming("m2", "next")))
        return [(await stream.end()).result.reply for stream in streams], slow.runs, other.runs

    replies, holder_runs, watcher_runs = in_virtual_time(story())
    assert holder_runs == ["hi"]
    assert watcher_runs == replies[2:] == [] or (watcher_runs, replies[2:]) == (["next"], ["re: next"])
    assert replies[:2] == ["re: hi"] * 2


@pytest.mark.parametrize("ahead", [-HOUR, 0.0, 8.0])
def test_a_dead_instances_turn_is_taken_over_within_six_seconds_despite_clock_skew(ahead):
    async def story():
        service = await opened()
        await Admission(service.store, service.clock, Limits(), "dead").admit(incoming("m1"))
        began = asyncio.get_running_loop().time()
        await answered(instance(service, "next", ahead=ahead), "m1")
        return asyncio.get_running_loop().time() - began

    assert TAKEOVER_SECONDS <= in_virtual_time(story()) <= 6.0


@pytest.mark.parametrize("frozen", [True, False], ids=["both frozen", "slow renewal"])
def test_a_holder_that_was_frozen_or_renews_slowly_keeps_its_lease(frozen):
    """As after the platform froze holder and watcher, or the database answered neither."""

    async def story():
        service, slow, other = await opened(), SmallFlow(), SmallFlow()
        store, seen = SlowStore(service.store), SlowStore(service.store)
        await taking(slow, 40.0 if frozen else LONG_TURN)
        first = await instance(service, "holder", flow=slow, store=store).submit(incoming("m1"))
        copy = await instance(service, "watcher", ahead=-HOUR, flow=other, store=seen).submit(incoming("m1"))
        if frozen:
            await asyncio.sleep(RENEW_SECONDS - 0.5)
            store.answers.clear()
            seen.answers.clear()
            await asyncio.sleep(20)
            seen.answers.set()
            await asyncio.sleep(2)
            store.answers.set()
        else:
            await asyncio.sleep(RENEW_SECONDS + 1)
            store.there = 2.0
        assert await first.end() == await copy.end()
        return slow.runs, other.runs

    assert in_virtual_time(story()) == (["hi"], [])


def test_an_instance_does_not_take_over_its_own_turn_when_its_renewals_get_no_answer():
    async def story():
        service = await opened()
        store = SlowStore(service.store)
        turns = instance(service, "one", store=store)
        await taking(service.flow, LONG_TURN)
        streams = [await turns.submit(incoming(*message)) for message in (("m1",), ("m2", "next"))]
        store.answers_renewals.clear()
        asyncio.get_running_loop().call_later(LONG_TURN - 1, store.answers_renewals.set)
        for stream in streams:
            await stream.end()
        return service.flow.runs

    assert in_virtual_time(story()) == ["hi", "next"]
