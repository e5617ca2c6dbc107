import pytest

from shared.domain.mailbox import QueuedMessage, claim, receive
from shared.engine.flow import Manifest, Outcome, Turn
from shared.engine.unwritten import KEPT_SECONDS, KEPT_TURNS, UnwrittenTurns
from shared.ports.conversation_documents import Snapshot, Versioned, VersionedMailbox
from tests.fakes.counselling import session
from tests.fakes.engine import SmallFlow, scope_of

OUTCOME = Outcome(reply="shown")


class Kept:
    """The turns that were found and not written, of messages under one lease."""

    def __init__(self, clock, box):
        now = clock.now()
        self.clock = clock
        self.turns = UnwrittenTurns(clock)
        box = claim(receive(box, QueuedMessage(message_id="m1", text="hi", received_at=now), now), "one", now)
        self.lease = box.lease
        self.snapshot = Snapshot(Versioned(session(), "1"), VersionedMailbox(box, "1"))

    def turn(self, conversation_id="c1", **more):
        given = {"seq": 1, "message_id": "m1", "text": "hi", "now": self.clock.now(), "runner": None, **more}
        return Turn(state=session(conversation_id=conversation_id), scope=scope_of(self.clock), **given)

    def keep(self, conversation_id="c1"):
        manifest = Manifest(name="small", flow=SmallFlow())
        self.turns.keep(self.turn(conversation_id), manifest, OUTCOME, self.snapshot)

    def take(self, *conversation, **more):
        return self.turns.take(self.turn(*conversation, **more))


@pytest.fixture
async def kept(service):
    return Kept(service.clock, (await service.mailbox()).box)


@pytest.mark.parametrize("other", [{"message_id": "m2"}, {"text": "ho"}, {"declines": "name"}, {"seq": 2}], ids=str)
async def test_is_given_to_the_same_message_once_and_to_no_other_turn(kept, other):
    kept.keep()
    assert kept.take().outcome is OUTCOME
    assert kept.take() is None
    kept.keep()
    assert kept.take(**other) is None


async def test_is_bounded_in_number_and_in_time(kept):
    for number in range(KEPT_TURNS + 1):
        kept.keep(f"c{number}")
    assert kept.take("c0") is None
    assert kept.take("c1") is not None
    kept.clock.advance(KEPT_SECONDS)
    assert kept.take("c2") is None


async def test_knows_the_lease_that_it_was_made_under_and_no_later_one(kept):
    kept.keep()
    later = kept.lease.model_copy(update={"token": kept.lease.token + 1})
    known = [kept.turns.kept_under(*one) for one in (("c1", kept.lease), ("c1", later), ("c2", kept.lease))]
    assert known == [True, False, False]
