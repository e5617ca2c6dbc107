"""A worker's lease: renewed while the turn runs, settled or given up at its end, confirmed before a model is asked."""

import asyncio

import pytest

from shared.domain.errors import LeaseLost, StoreUnavailable
from shared.domain.mailbox import LEASE_TTL, QueuedMessage, claim, receive
from shared.engine.lease import CONFIRMED_SECONDS, HeldLease
from shared.ports.conversation_documents import VersionedMailbox
from tests.builders.small_service import CONVERSATION, FailingStore


@pytest.fixture
def store(service):
    return FailingStore(service.store, "save_mailbox")


async def write(service, change):
    present = await service.mailbox()
    return await service.store.save_mailbox(VersionedMailbox(change(present.box), present.version))


async def come(service, message_id):
    """Let a message come."""
    now = service.clock.now()
    message = QueuedMessage(message_id=message_id, text="hi", received_at=now)
    return await write(service, lambda box: receive(box, message, now))


async def take(service, owner):
    return await write(service, lambda box: claim(box, owner, service.clock.now()))


@pytest.fixture
async def held(service, store):
    await come(service, "m1")
    return HeldLease(store, await take(service, "one"), service.clock, renew_seconds=0.005)


async def renewed(service):
    """Wait until the lease counts from now."""
    expiry = service.clock.now() + LEASE_TTL
    async with asyncio.timeout(10):
        while (await service.mailbox()).box.lease.expires_at != expiry:  # noqa: ASYNC110 - the store tells nobody
            await asyncio.sleep(0.002)


class TestTheRenewal:
    async def test_is_made_while_the_turn_runs_and_lost_by_no_message_that_came_meanwhile(self, service, held, caplog):
        await come(service, "m2")
        service.clock.advance(10)
        async with held.renewed():
            assert len(asyncio.all_tasks()) == 2
            await renewed(service)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is renewed behind the turn"
        assert await service.inbox() == ("m1", "m2")
        assert "lease_not_renewed" not in caplog.text

    async def test_that_the_store_refuses_is_made_good_by_the_next(self, service, held, store, caplog):
        store.errors = [StoreUnavailable()]
        service.clock.advance(10)
        async with held.renewed():
            await renewed(service)
        assert "lease_not_renewed" in caplog.text

    @pytest.mark.parametrize("erased", [False, True], ids=["taken over", "erased"])
    async def test_that_is_impossible_stops_the_turn(self, service, held, erased):
        service.clock.advance(20)
        await (service.store.erase(CONVERSATION) if erased else take(service, "two"))
        with pytest.raises(LeaseLost):
            async with held.renewed():
                await asyncio.wait_for(asyncio.Event().wait(), 10)
        assert asyncio.current_task().cancelling() == 0


async def test_settled_the_message_is_answered_and_the_lease_free_unless_it_is_anothers_by_now(service, held):
    box = held.settled().box
    assert (box.inbox, box.lease) == ((), None)
    await take(service, "two")
    held.refreshed(await service.store.load(CONVERSATION))
    with pytest.raises(LeaseLost):
        held.settled()


class TestGivenUp:
    @pytest.mark.parametrize("came", [(), ("m2",)], ids=["alone", "behind a new message"])
    async def test_the_message_stays_queued_and_the_lease_is_free(self, service, held, came):
        for message_id in came:
            await come(service, message_id)
        await held.give_up()
        assert (await service.inbox(), (await service.mailbox()).box.lease) == (("m1", *came), None)

    async def test_it_leaves_alone_what_is_anothers_and_never_fails(self, service, held, store, caplog):
        store.errors = [StoreUnavailable()]
        await held.give_up()
        assert caplog.text.count("lease_left") == 1
        await take(service, "two")
        await held.give_up()
        assert (await service.mailbox()).box.lease.owner == "two"
        assert caplog.text.count("lease_left") == 2


class TestConfirming:
    async def test_asks_the_store_when_it_has_not_confirmed_for_long(self, service, held, store):
        store.errors = [StoreUnavailable() for _ in range(9)]
        service.clock.advance(CONFIRMED_SECONDS - 1)
        await held.confirmed()
        assert store.calls == 0, "it was confirmed of late"
        store.errors = []
        service.clock.advance(1)
        for _ in range(2):
            await held.confirmed()
        assert store.calls == 1
        store.errors = [StoreUnavailable() for _ in range(9)]
        service.clock.advance(CONFIRMED_SECONDS)
        with pytest.raises(StoreUnavailable):
            await held.confirmed()
