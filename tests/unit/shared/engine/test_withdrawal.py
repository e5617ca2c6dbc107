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
from tests.builders.sessions import NOW
from tests.builders.small_service import CONVERSATION, SmallService, answered, ended, incoming

TERMS = {"terms": "2026-11", "abroad": "2026-11"}


@pytest.fixture
async def service():
    service = SmallService()
    service.terms = dict(TERMS)
    await service.open(consents=given(TERMS, TERMS, service.clock.now()))
    return service


@pytest.fixture
def turns(service):
    return service.instance()


async def change(service, *events):
    await update(service.store, service.policy, service.clock, CONVERSATION, *events)


def withdrawn(service, name="abroad", seconds=0):
    at = service.clock.now() + timedelta(seconds=seconds)
    return ConsentsWithdrawn(names=(name,), versions=TERMS, withdrawn_at=at)


async def withdraw(service):
    """Do as the endpoint does: the session first, then the lease."""
    await change(service, withdrawn(service))
    held = await service.mailbox()
    await service.store.save_mailbox(VersionedMailbox(revoke(held.box), held.version))


async def give(service):
    service.clock.advance(1)
    await change(service, ConsentsGiven(consents=given(TERMS, service.terms, service.clock.now())))


async def refused_at_once(service, turns):
    with pytest.raises(ConsentRequired) as refusal:
        await turns.submit(incoming("m2", "비밀이에요"))
    assert (service.flow.runs, await service.inbox(), await service.history()) == ([], (), [])
    return refusal.value.missing, refusal.value.versions


async def test_without_a_consent_no_message_is_stored_and_no_flow_runs(service, turns):
    await withdraw(service)
    assert await refused_at_once(service, turns) == (("abroad",), {"abroad": "2026-11"})


async def test_a_newer_text_is_asked_for_before_the_next_message_and_then_the_conversation_goes_on(service, turns):
    service.terms["terms"] = "2026-12"
    turns = service.instance()
    assert await refused_at_once(service, turns) == (("terms",), {"terms": "2026-12"})
    await give(service)
    assert isinstance(await answered(turns, "m2", "비밀이에요"), Done)
    assert await service.history() == ["비밀이에요", "re: 비밀이에요"]


async def begun(service, turns):
    service.flow.hold = asyncio.Event()
    stream = await turns.submit(incoming("m1", "듣고 있나요"))
    await service.flow.reached.wait()
    return stream


async def test_a_turn_under_way_is_not_kept_and_its_message_is_answered_after_the_consent_is_given_again(
    service, turns
):
    stream = await begun(service, turns)
    await withdraw(service)
    service.flow.hold.set()
    ending = await ended(stream)
    assert (type(ending), ending.code, ending.retryable) == (Failed, "consent_required", False)
    assert (await service.history(), (await service.state()).seq) == ([], 0)
    assert await service.inbox() == ("m1",), "the words are neither lost nor worked on"

    assert (await answered(turns, "m1", "듣고 있나요")).code == "consent_required"
    assert (await ended(await turns.resume(CONVERSATION))).code == "consent_required"
    assert len(service.flow.runs) == 1

    await give(service)
    assert isinstance(await answered(turns, "m1", "듣고 있나요"), Done)
    assert await service.history() == ["듣고 있나요", "re: 듣고 있나요"]


async def test_the_commit_itself_looks_at_the_consents(service, turns):
    """The lease was not taken away yet: a withdrawal marks the session first."""
    stream = await begun(service, turns)
    await change(service, withdrawn(service, "terms"))
    service.flow.hold.set()
    assert (await ended(stream)).code == "consent_required"
    assert await service.history() == []
    assert len(service.flow.runs) == 1, "and the message is not tried again"


async def test_an_answered_message_is_shown_again_without_any_consent(service, turns):
    await answered(turns, "m1")
    await withdraw(service)
    assert isinstance(await answered(service.instance("two"), "m1"), Done)


@pytest.mark.parametrize("order", [1, -1])
async def test_what_was_said_last_holds_in_whatever_order_it_comes(service, order):
    consents = given(TERMS, TERMS, service.clock.now() + timedelta(seconds=1))
    for event in [ConsentsGiven(consents=consents), withdrawn(service, seconds=5)][::order]:
        await change(service, event)
    assert lacking((await service.state()).consents, TERMS) == ("abroad",)


@pytest.mark.parametrize(
    ("granted", "version", "due"),
    [(False, "2026-11", True), (True, "2026-10", True), (True, "2026-11", False), (True, "2026-11-15", True)],
)
def test_a_consent_is_due_unless_it_is_given_to_this_text(granted, version, due):
    consents = {"terms": Consent(granted=granted, version=version, at=NOW)}
    assert bool(lacking(consents, {"terms": "2026-11"})) is due
    assert lacking({}, {"terms": "2026-11"})
