import asyncio

import pytest

from shared.domain.errors import LeaseLost, StoreUnavailable
from shared.domain.mailbox import LEASE_TTL, QueuedMessage, claim, receive
from shared.engine.lease import HeldLease
from shared.ports.conversation_documents import VersionedMailbox
from tests.fakes.engine import CONVERSATION, SmallService


class Flaky:
    """A store whose next mailbox writes fail."""

    def __init__(self, store):
        self._store = store
        self.failures = 0
        self.writes = 0

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def save_mailbox(self, mailbox):
        self.writes += 1
        if self.failures:
            self.failures -= 1
            raise StoreUnavailable
        return await self._store.save_mailbox(mailbox)


@pytest.fixture
async def service():
    service = SmallService()
    await service.open()
    return service


@pytest.fixture
def store(service):
    return Flaky(service.store)


def message(message_id, now):
    return QueuedMessage(message_id=message_id, text="hi", received_at=now)


async def box_of(service):
    return (await service.store.load(CONVERSATION)).mailbox


async def write(service, change):
    present = await box_of(service)
    return await service.store.save_mailbox(VersionedMailbox(change(present.box), present.version))


@pytest.fixture
async def held(service, store):
    now = service.clock.now()
    claimed = await write(service, lambda box: claim(receive(box, message("m1", now), now), "one", now))
    return HeldLease(store, claimed, service.clock, renew_seconds=0.005)


async def until(condition):
    async with asyncio.timeout(10):
        while not await condition():  # noqa: ASYNC110 - the store tells nobody
            await asyncio.sleep(0.002)


async def test_is_renewed_while_the_turn_runs(service, held):
    service.clock.advance(10)
    async with held.renewed():
        await until(lambda: renewed_to(service, service.clock.now() + LEASE_TTL))


async def renewed_to(service, expiry):
    lease = (await box_of(service)).box.lease
    return lease is not None and lease.expires_at == expiry


async def test_a_message_that_came_meanwhile_does_not_cost_a_renewal(service, held, caplog):
    now = service.clock.now()
    await write(service, lambda box: receive(box, message("m2", now), now))
    service.clock.advance(10)
    async with held.renewed():
        await until(lambda: renewed_to(service, service.clock.now() + LEASE_TTL))
    assert await service.inbox() == ("m1", "m2")
    assert "lease_not_renewed" not in caplog.text


async def test_a_renewal_that_the_store_refuses_is_made_good_by_the_next(service, held, store, caplog):
    store.failures = 1
    service.clock.advance(10)
    async with held.renewed():
        await until(lambda: renewed_to(service, service.clock.now() + LEASE_TTL))
    assert "lease_not_renewed" in caplog.text


async def test_taken_over_the_turn_is_stopped(service, held):
    service.clock.advance(20)
    await write(service, lambda box: claim(box, "two", service.clock.now()))
    with pytest.raises(LeaseLost):
        async with held.renewed():
            await asyncio.wait_for(asyncio.Event().wait(), 10)
    assert asyncio.current_task().cancelling() == 0


async def test_with_the_conversation_erased_the_turn_is_stopped(service, held):
    await service.store.erase(CONVERSATION)
    with pytest.raises(LeaseLost):
        async with held.renewed():
            await asyncio.wait_for(asyncio.Event().wait(), 10)


async def test_a_cancelled_turn_is_not_taken_for_a_lost_lease(held):
    async def turn():
        async with held.renewed():
            await asyncio.Event().wait()

    running = asyncio.create_task(turn())
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_nothing_is_renewed_behind_the_turn(held):
    async with held.renewed():
        assert len(asyncio.all_tasks()) == 2
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_settled_the_message_is_answered_and_the_lease_free(held):
    box = held.settled().box
    assert (box.inbox, box.lease) == ((), None)


async def test_what_is_anothers_by_now_cannot_be_settled(service, held):
    await write(service, lambda box: claim(box, "two", service.clock.now()))
    held.refreshed(await service.store.load(CONVERSATION))
    with pytest.raises(LeaseLost):
        held.settled()


async def test_given_up_the_message_stays_queued_and_the_lease_is_free(service, held):
    await held.give_up()
    box = (await box_of(service)).box
    assert (await service.inbox(), box.lease) == (("m1",), None)


async def test_given_up_behind_a_new_message_both_are_queued_and_the_lease_is_free(service, held):
    now = service.clock.now()
    await write(service, lambda box: receive(box, message("m2", now), now))
    await held.give_up()
    box = (await box_of(service)).box
    assert (await service.inbox(), box.lease) == (("m1", "m2"), None)


async def test_giving_up_what_is_anothers_leaves_it_alone(service, held, caplog):
    await write(service, lambda box: claim(box, "two", service.clock.now()))
    await held.give_up()
    assert (await box_of(service)).box.lease.owner == "two"
    assert "lease_left" in caplog.text


async def test_giving_up_never_fails(service, held, store, caplog):
    store.failures = 1
    await held.give_up()
    assert "lease_left" in caplog.text


async def test_without_a_lease_there_is_nothing_to_hold(service):
    with pytest.raises(ValueError, match="no lease"):
        HeldLease(service.store, await box_of(service), service.clock)
