import pytest

from shared.domain.mailbox import Lease, QueuedMessage, claim, receive
from shared.engine.flow import Manifest, Outcome, Turn
from shared.engine.unwritten import KEPT_SECONDS, KEPT_TURNS, UnwrittenTurns
from shared.ports.conversation_documents import Snapshot, Versioned, VersionedMailbox
from tests.fakes.engine import SmallFlow, SmallService, scope_of

OUTCOME = Outcome(reply="shown")


@pytest.fixture
async def service():
    service = SmallService()
    await service.open()
    return service


@pytest.fixture
async def claimed(service):
    mailbox, now = await service.mailbox(), service.clock.now()
    box = claim(receive(mailbox.box, QueuedMessage(message_id="m1", text="hi", received_at=now), now), "one", now)
    return Snapshot(Versioned(await service.state(), "1"), VersionedMailbox(box, "1"))


def turn_of(service, claimed, conversation_id="c1", **more):
    state = claimed.session.state.model_copy(update={"conversation_id": conversation_id})
    given = {"seq": 1, "message_id": "m1", "text": "hi", "now": service.clock.now(), "runner": None, **more}
    return Turn(state=state, scope=scope_of(service.clock), **given)


def keep(kept, turn, claimed):
    kept.keep(turn, Manifest(name="small", flow=SmallFlow()), OUTCOME, claimed)


async def test_is_given_to_the_same_message_once(service, claimed):
    kept = UnwrittenTurns(service.clock)
    keep(kept, turn_of(service, claimed), claimed)
    assert kept.take(turn_of(service, claimed)).outcome is OUTCOME
    assert kept.take(turn_of(service, claimed)) is None


@pytest.mark.parametrize("other", [{"message_id": "m2"}, {"text": "ho"}, {"declines": "name"}, {"seq": 2}], ids=str)
async def test_is_given_to_no_other_turn(service, claimed, other):
    kept = UnwrittenTurns(service.clock)
    keep(kept, turn_of(service, claimed), claimed)
    assert kept.take(turn_of(service, claimed, **other)) is None


async def test_is_bounded_in_number_and_in_time(service, claimed):
    kept = UnwrittenTurns(service.clock)
    for number in range(KEPT_TURNS + 1):
        keep(kept, turn_of(service, claimed, f"c{number}"), claimed)
    assert kept.take(turn_of(service, claimed, "c0")) is None
    assert kept.take(turn_of(service, claimed, "c1")) is not None
    service.clock.advance(KEPT_SECONDS)
    assert kept.take(turn_of(service, claimed, "c2")) is None


async def test_knows_the_lease_that_it_was_made_under_and_no_later_one(service, claimed):
    kept = UnwrittenTurns(service.clock)
    keep(kept, turn_of(service, claimed), claimed)
    lease = claimed.mailbox.box.lease
    later = Lease.model_validate({**lease.model_dump(), "token": lease.token + 1})
    assert tuple(kept.kept_under(*one) for one in (("c1", lease), ("c1", later), ("c2", lease))) == (True, False, False)
