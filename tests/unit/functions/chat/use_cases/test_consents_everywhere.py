"""A person's consents reach all their conversations, in whatever order requests come and whatever breaks on the way."""

from dataclasses import replace

import pytest

from shared.adapters.documents import paths, writes
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.consents import given, refused
from shared.domain.counseling.profile import Profile
from shared.domain.mailbox import QueuedMessage, claim, receive
from shared.ports.conversation_documents import VersionedMailbox
from shared.ports.document_writes import Put
from shared.ports.identity import Caller

MINE, ALL = "/api/me/consents", "/api/conversations"
VERSIONS = content().consents.versions
OFF = {"consents": {"overseas_transfer": False}}
ON = {"consents": {"overseas_transfer": True}, "versions": VERSIONS}


async def consents_of(world, conversation_id):
    return (await world.store.load(conversation_id)).session.state.consents


async def let_wait(world, conversation_id, *, claimed=False):
    held = await world.store.mailbox(conversation_id)
    waiting = QueuedMessage(message_id="m1", text="듣고 있나요", received_at=world.clock.now())
    box = receive(held.box, waiting, held.box.expire_at)
    box = claim(box, "one", world.clock.now()) if claimed else box
    await world.store.save_mailbox(VersionedMailbox(box, held.version))


async def make_unreadable(world, conversation_id):
    """Store a session as newer code would."""
    (document,) = await world.database.get([paths.session(conversation_id)])
    write = writes.put(document.path, (await world.store.load(conversation_id)).session.state)
    await world.database.commit([replace(write, data={**document.data, "schema_version": 999})])


async def damage_view(world, conversation_id):
    (document,) = await world.database.get([paths.view(conversation_id)])
    await world.database.commit([Put(document.path, {**document.data, "progress": "broken"})])


class TestWithdrawing:
    async def test_breaks_off_the_turns_of_this_instance(self, world, ann, mine):
        other = await world.conversation("ann")
        await ann.put(MINE, json=OFF)
        assert {*world.stopped} == {mine, other}

    async def test_given_nothing_is_stopped(self, world, ann, mine):
        await ann.put(MINE, json=ON)
        assert world.stopped == []

    async def test_leaves_nothing_for_the_sweep_to_find(self, world, ann, mine):
        await let_wait(world, mine)
        await ann.put(MINE, json=OFF)
        box = (await world.store.mailbox(mine)).box
        assert (box.waiting_since, len(box.inbox)) == (None, 1)

    async def test_one_conversation_that_cannot_be_read_does_not_spare_the_others(self, world, ann):
        made = [await world.conversation("ann") for _ in range(25)]
        bad = made[-1]
        await let_wait(world, bad, claimed=True)
        token = (await world.store.mailbox(bad)).box.last_token
        await make_unreadable(world, bad)
        assert (await ann.put(MINE, json=OFF)).status_code == 500
        for conversation in made[:-1]:
            assert refused(await consents_of(world, conversation)) == ("overseas_transfer",)
        box = (await world.store.mailbox(bad)).box
        assert (box.lease, box.last_token) == (None, token + 1), "its turn is stopped all the same"
        assert bad in world.stopped

    async def test_one_whose_view_cannot_be_read_spares_none(self, world, ann, mine):
        made = [mine, *[await world.conversation("ann") for _ in range(2)]]
        await damage_view(world, made[1])
        assert (await ann.put(MINE, json=OFF)).status_code == 200
        for conversation in made:
            assert refused(await consents_of(world, conversation)) == ("overseas_transfer",)
        assert {*world.stopped} == {*made}


class TestRatingAfterAWithdrawal:
    async def test_a_comment_is_refused_and_nothing_of_the_rating_is_kept(self, world, ann, mine):
        await ann.post(f"{ALL}/{mine}/end")
        await ann.put(MINE, json=OFF)
        rated = await ann.post(f"{ALL}/{mine}/satisfaction", json={"rating": 1, "comment": "약 이야기까지 했는데요"})
        assert (rated.status_code, rated.json()["code"]) == (403, "consent_required")
        assert [one["id"] for one in rated.json()["consents"]] == ["overseas_transfer"]
        assert (await world.store.load(mine)).session.state.satisfaction is None
        assert not [one for one in await world.database.tree(paths.session(mine)) if "/ratings/" in one.path]

    async def test_points_alone_are_taken(self, world, ann, mine):
        await ann.post(f"{ALL}/{mine}/end")
        await ann.put(MINE, json=OFF)
        rated = await ann.post(f"{ALL}/{mine}/satisfaction", json={"rating": 2, "comment": " \u0007 "})
        assert rated.status_code == 204
        assert (await world.store.load(mine)).session.state.satisfaction == 2

    async def test_given_again_the_comment_is_taken(self, ann, mine):
        await ann.post(f"{ALL}/{mine}/end")
        await ann.put(MINE, json=OFF)
        await ann.put(MINE, json=ON)
        rated = await ann.post(f"{ALL}/{mine}/satisfaction", json={"rating": 2, "comment": "조금 짧았어요"})
        assert rated.status_code == 204


class TestGivingAgain:
    async def test_what_was_taken_back_later_is_not_said_to_be_given(self, world, ann, mine):
        before = world.clock.now()
        await ann.put(MINE, json=OFF)
        await world.api.consents.give(Caller(user_id="ann"), given(VERSIONS, VERSIONS, before), before)
        assert refused(await consents_of(world, mine)) == ("overseas_transfer",)
        lines = [document.data for document in await world.database.tree("audit")]
        assert [one["action"] for one in lines].count("consent_given") == 1, "that of the opening"

    async def test_what_waited_is_answered_at_once(self, world, ann, mine):
        await let_wait(world, mine)
        await ann.put(MINE, json=OFF)
        await ann.put(MINE, json=ON)
        assert [task.kind for task in world.queue.payloads if task.conversation_id == mine] == [JobKind.ANSWER]
        assert (await world.store.mailbox(mine)).box.waiting_since is not None, "the sweep makes sure of it"

    async def test_where_another_is_still_withdrawn_it_goes_on_waiting(self, world, ann, mine):
        await let_wait(world, mine)
        await ann.put(MINE, json={"consents": {"overseas_transfer": False, "terms": False}})
        await ann.put(MINE, json=ON)
        assert world.queue.tasks == []
        assert (await world.store.mailbox(mine)).box.waiting_since is None

    async def test_where_nothing_waits_nothing_is_queued(self, world, ann, mine):
        await ann.put(MINE, json=OFF)
        await ann.put(MINE, json=ON)
        assert world.queue.tasks == []


class TestOpeningAnother:
    async def test_after_a_withdrawal_gives_the_consents_everywhere(self, world, ann, mine):
        await let_wait(world, mine)
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, False)})
        await world.conversation("ann")
        assert refused(await consents_of(world, mine)) == ()
        assert [task.kind for task in world.queue.payloads] == [JobKind.ANSWER]

    async def test_while_all_stands_touches_no_other(self, world, ann, mine):
        before = await world.store.load(mine)
        await world.conversation("ann")
        assert await world.store.load(mine) == before

    async def test_is_not_hindered_by_a_view_that_cannot_be_read(self, world, mine):
        await damage_view(world, mine)
        assert await world.conversation("ann")

    async def test_is_not_hindered_by_one_that_cannot_be_read(self, world, ann, mine, caplog):
        await ann.put(MINE, json=OFF)
        await make_unreadable(world, mine)
        assert await world.conversation("ann")
        assert "consents_not_spread" in caplog.text


class StoreOfAWithdrawal(DocumentConversationStore):
    """Lets a person withdraw just before a conversation of theirs is written for the first time."""

    before_creating = None

    async def create(self, *given, **more):
        if self.before_creating is not None:
            before, self.before_creating = self.before_creating, None
            await before()
        await super().create(*given, **more)


@pytest.mark.parametrize("store", [StoreOfAWithdrawal])
async def test_a_withdrawal_stands_against_an_opening_that_was_sent_before_it(world, ann, bob, mine, consents):
    async def withdraw():
        assert (await ann.put(MINE, json=OFF)).status_code == 200

    world.store.before_creating = withdraw
    opened = await ann.post(ALL, json={"age_band": "adult", "consents": consents})

    assert (opened.status_code, opened.json()["code"]) == (403, "consent_required")
    assert [one["id"] for one in opened.json()["consents"]] == ["overseas_transfer"]
    kept = (await world.store.user("ann", Profile)).document.consents["overseas_transfer"]
    assert (kept.granted, kept.withdrawn_at is not None) == (False, True)
    assert len(await world.store.views_of("ann", None, 5)) == 1
