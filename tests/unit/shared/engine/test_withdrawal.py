"""Consents that are taken back or given to an older text: before a turn, during it, and for what waits."""

import asyncio
from datetime import timedelta

import pytest

from shared.contracts.events import Done, Failed
from shared.domain.consents import ConsentsGiven, ConsentsWithdrawn, given, lacking
from shared.domain.conversation import Consent
from shared.domain.errors import ConsentRequired
from shared.domain.mailbox import revoke
from shared.engine.unit_of_work import update
from shared.ports.conversation_documents import VersionedMailbox
from tests.fakes.engine import CONVERSATION, SmallService, incoming
from tests.fakes.settable_clock import SettableClock

TERMS = {"terms": "2026-11", "abroad": "2026-11"}


@pytest.fixture
async def service():
    service = SmallService()
    service.terms = dict(TERMS)
    await service.open(consents=given(TERMS, TERMS, service.clock.now()))
    return service


async def change(service, *events):
    await update(service.store, service.policy, service.clock, CONVERSATION, *events)


async def withdraw(service, *names):
    """Do as the endpoint does: the session first, then the lease."""
    names = names or ("abroad",)
    await change(service, ConsentsWithdrawn(names=names, versions=TERMS, withdrawn_at=service.clock.now()))
    held = await service.mailbox()
    await service.store.save_mailbox(VersionedMailbox(revoke(held.box), held.version))


async def give(service):
    service.clock.advance(1)
    await change(service, ConsentsGiven(consents=given(TERMS, service.terms, service.clock.now())))


async def ended(stream):
    async with asyncio.timeout(10):
        return await stream.end()


async def refused_at_once(service, turns, message_id="m2"):
    with pytest.raises(ConsentRequired) as refusal:
        await turns.submit(incoming(message_id, "비밀이에요"))
    assert service.flow.runs == []
    assert message_id not in await service.inbox()
    return refusal.value


async def test_without_a_consent_no_message_is_stored_and_no_flow_runs(service):
    await withdraw(service)
    refusal = await refused_at_once(service, service.instance())
    assert (refusal.missing, refusal.versions) == (("abroad",), {"abroad": "2026-11"})
    assert await service.history() == []


async def test_a_newer_text_is_asked_for_before_the_next_message_and_then_the_conversation_goes_on(service):
    service.terms = {**TERMS, "terms": "2026-12"}
    turns = service.instance()
    refusal = await refused_at_once(service, turns)
    assert (refusal.missing, refusal.versions) == (("terms",), {"terms": "2026-12"})
    await give(service)
    assert isinstance(await ended(await turns.submit(incoming("m2", "비밀이에요"))), Done)
    assert await service.history() == ["비밀이에요", "re: 비밀이에요"]


async def test_a_turn_under_way_is_not_kept_once_a_consent_is_withdrawn(service):
    turns = service.instance()
    service.flow.hold = asyncio.Event()
    stream = await turns.submit(incoming("m1", "듣고 있나요"))
    await service.flow.reached.wait()
    await withdraw(service)
    service.flow.hold.set()
    ending = await ended(stream)
    assert (type(ending), ending.code, ending.retryable) == (Failed, "consent_required", False)
    assert await service.history() == []
    assert (await service.state()).seq == 0
    assert await service.inbox() == ("m1",), "the words are neither lost nor worked on"


async def test_the_commit_itself_looks_at_the_consents(service):
    """The lease was not taken away yet: whoever withdraws marks the session first."""
    turns = service.instance()
    service.flow.hold = asyncio.Event()
    stream = await turns.submit(incoming("m1"))
    await service.flow.reached.wait()
    await change(service, ConsentsWithdrawn(names=("terms",), versions=TERMS, withdrawn_at=service.clock.now()))
    service.flow.hold.set()
    assert (await ended(stream)).code == "consent_required"
    assert await service.history() == []
    assert len(service.flow.runs) == 1, "and the message is not tried again"


async def test_what_waits_is_answered_after_the_consent_is_given_again(service):
    turns = service.instance()
    service.flow.hold = asyncio.Event()
    stream = await turns.submit(incoming("m1", "듣고 있나요"))
    await service.flow.reached.wait()
    await withdraw(service)
    service.flow.hold.set()
    await ended(stream)

    assert (await ended(await turns.submit(incoming("m1", "듣고 있나요")))).code == "consent_required"
    assert (await ended(await turns.resume(CONVERSATION))).code == "consent_required"
    assert len(service.flow.runs) == 1

    await give(service)
    assert isinstance(await ended(await turns.submit(incoming("m1", "듣고 있나요"))), Done)
    assert await service.history() == ["듣고 있나요", "re: 듣고 있나요"]


async def test_an_answered_message_is_shown_again_without_any_consent(service):
    turns = service.instance()
    await ended(await turns.submit(incoming("m1", "hi")))
    await withdraw(service)
    assert isinstance(await ended(await service.instance("two").submit(incoming("m1", "hi"))), Done)


def at(seconds):
    clock = SettableClock()
    return clock.now() + timedelta(seconds=seconds)


@pytest.mark.parametrize("order", [1, -1])
async def test_what_was_said_last_holds_in_whatever_order_it_comes(service, order):
    later = service.clock.now() + timedelta(seconds=5)
    events = [
        ConsentsGiven(consents=given(TERMS, TERMS, service.clock.now() + timedelta(seconds=1))),
        ConsentsWithdrawn(names=("abroad",), versions=TERMS, withdrawn_at=later),
    ]
    for event in events[::order]:
        await change(service, event)
    assert lacking((await service.state()).consents, TERMS) == ("abroad",)


def test_a_consent_is_due_unless_it_is_given_to_this_text(subtests):
    cases = [
        (None, True),
        (Consent(granted=False, version="2026-11", at=at(0)), True),
        (Consent(granted=True, version="2026-10", at=at(0)), True),
        (Consent(granted=True, version="2026-11", at=at(0)), False),
        (Consent(granted=True, version="2026-11-15", at=at(0)), True),
    ]
    for kept, due in cases:
        with subtests.test(kept=kept):
            consents = {} if kept is None else {"terms": kept}
            assert bool(lacking(consents, {"terms": "2026-11"})) is due
