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


async def receive_message(service, message_id):
    now = service.clock.now()
    message = QueuedMessage(message_id=message_id, text="hi", received_at=now)
    return await write(service, lambda box: receive(box, message, now))


async def take(service, owner):
    return await write(service, lambda box: claim(box, owner, service.clock.now()))


@pytest.fixture
async def held(service, store):
    await receive_message(service, "m1")
    return HeldLease(store, await take(service, "one"), service.clock, renew_seconds=0.005)


async def renewed(service):
    """Wait until the lease is renewed from the present time."""
    expiry = service.clock.now() + LEASE_TTL
    async with asyncio.timeout(10):
        while (await service.mailbox()).box.lease.expires_at != expiry:  # noqa: ASYNC110 - the store has no notification
            await asyncio.sleep(0.002)


class TestTheRenewal:
    async def test_runs_during_the_turn_and_survives_a_message_that_arrives(self, service, held, caplog):
        await receive_message(service, "m2")
        service.clock.advance(10)
        async with held.renewed():
            assert len(asyncio.all_tasks()) == 2
            await renewed(service)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is renewed after the turn"
        assert await service.inbox() == ("m1", "m2")
        assert "lease_not_renewed" not in caplog.text

    async def test_that_the_store_refuses_is_repeated(self, service, held, store, caplog):
        store.errors = [StoreUnavailable()]
        service.clock.advance(10)
        async with held.renewed():
            await renewed(service)
        assert "lease_not_renewed" in caplog.text

    @pytest.mark.parametrize("erased", [False, True], ids=["taken over", "erased"])
    async def test_fails_and_stops_the_turn_when_the_lease_is_lost(self, service, held, erased):
        service.clock.advance(20)
        await (service.store.erase(CONVERSATION) if erased else take(service, "two"))
        with pytest.raises(LeaseLost):
            async with held.renewed():
                await asyncio.wait_for(asyncio.Event().wait(), 10)
        assert asyncio.current_task().cancelling() == 0


async def test_settling_removes_the_message_and_frees_the_lease_unless_another_worker_holds_it(service, held):
    box = held.settled().box
    assert (box.inbox, box.lease) == ((), None)
    await take(service, "two")
    held.refreshed(await service.store.load(CONVERSATION))
    with pytest.raises(LeaseLost):
        held.settled()


class TestGivingUp:
    @pytest.mark.parametrize("arrived", [(), ("m2",)], ids=["alone", "with a new message"])
    async def test_keeps_the_message_queued_and_frees_the_lease(self, service, held, arrived):
        for message_id in arrived:
            await receive_message(service, message_id)
        await held.give_up()
        assert (await service.inbox(), (await service.mailbox()).box.lease) == (("m1", *arrived), None)

    async def test_another_workers_lease_is_left_alone_and_errors_are_logged(self, service, held, store, caplog):
        store.errors = [StoreUnavailable()]
        await held.give_up()
        assert caplog.text.count("lease_left") == 1
        await take(service, "two")
        await held.give_up()
        assert (await service.mailbox()).box.lease.owner == "two"
        assert caplog.text.count("lease_left") == 2


class TestConfirming:
    async def test_asks_the_store_only_when_the_last_confirmation_is_old(self, service, held, store):
        store.errors = [StoreUnavailable() for _ in range(9)]
        service.clock.advance(CONFIRMED_SECONDS - 1)
        await held.confirmed()
        assert store.calls == 0, "it was confirmed recently"
        store.errors = []
        service.clock.advance(1)
        for _ in range(2):
            await held.confirmed()
        assert store.calls == 1
        store.errors = [StoreUnavailable() for _ in range(9)]
        service.clock.advance(CONFIRMED_SECONDS)
        with pytest.raises(StoreUnavailable):
            await held.confirmed()
