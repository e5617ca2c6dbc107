"""A person's consents reach all their conversations, in whatever order requests come and whatever breaks on the way.

A withdrawal finishes itself: after any end at any of its writes, task or sweep make it in every conversation.
"""

from itertools import count

import pytest

from shared.adapters.documents import paths
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.tasks import JobKind
from shared.domain.consents import given, refused
from shared.engine.jobs import JobResult
from shared.ports.identity import Caller
from tests.fakes.faulty_database import Fault, FaultKind
from tests.unit.functions.chat.conftest import ALL, LOST, MINE, OPENING, VERSIONS, Scene

NAME = "overseas_transfer"
OFF = {"consents": {NAME: False}}
ON = {"consents": {NAME: True}, "versions": VERSIONS}
DONE_AND_AGAIN = [JobResult.DONE, JobResult.MOOT]


async def withdrawn_in(world, *conversations):
    """Return in which conversations the consent, and nothing else, is withdrawn."""
    return [one for one in conversations if refused((await world.state(one)).consents) == (NAME,)]


async def waiting_since(world, conversation):
    return (await world.store.mailbox(conversation)).box.waiting_since


class TestWithdrawing:
    async def test_breaks_off_the_turns_of_this_instance_and_leaves_nothing_for_the_sweep_to_find(
        self, world, ann, mine
    ):
        other = await world.conversation("ann")
        await world.let_wait(mine)
        await ann.put(MINE, json=ON)
        assert world.stopped == [], "given, nothing is stopped"
        await ann.put(MINE, json=OFF)
        assert {*world.stopped} == {mine, other}
        box = (await world.store.mailbox(mine)).box
        assert (box.waiting_since, len(box.inbox)) == (None, 1)

    async def test_one_conversation_that_cannot_be_read_does_not_spare_the_others(self, world, ann):
        *others, bad = [await world.conversation("ann") for _ in range(25)]
        token = (await world.let_wait(bad, claimed=True)).last_token
        await world.damage(paths.session(bad), schema_version=999)
        assert (await ann.put(MINE, json=OFF)).status_code == 500
        assert await withdrawn_in(world, *others) == others
        box = (await world.store.mailbox(bad)).box
        assert (box.lease, box.last_token) == (None, token + 1), "its turn is stopped all the same"
        assert bad in world.stopped

    async def test_one_whose_view_cannot_be_read_spares_none(self, world, ann):
        made = [await world.conversation("ann") for _ in range(3)]
        await world.damage(paths.view(made[1]), progress="broken")
        assert (await ann.put(MINE, json=OFF)).status_code == 200
        assert await withdrawn_in(world, *made) == made
        assert {*world.stopped} == {*made}

    async def test_only_points_without_a_comment_can_rate_until_it_is_given_again(self, world, ann, mine):
        path, words = f"{ALL}/{mine}/satisfaction", "약 이야기까지 했는데요"
        await ann.post(f"{ALL}/{mine}/end")
        await ann.put(MINE, json=OFF)
        rated = await ann.post(path, json={"rating": 1, "comment": words})
        assert (rated.status_code, rated.json()["code"]) == (403, "consent_required")
        assert [one["id"] for one in rated.json()["consents"]] == [NAME]
        assert (await world.state(mine)).satisfaction is None
        assert not [path for path in await world.paths(paths.session(mine)) if "/ratings/" in path]
        assert (await ann.post(path, json={"rating": 2, "comment": " \u0007 "})).status_code == 204
        assert (await world.state(mine)).satisfaction == 2
        await ann.put(MINE, json=ON)
        assert (await ann.post(path, json={"rating": 2, "comment": words})).status_code == 204


class TestGivingAgain:
    async def test_what_was_taken_back_later_is_not_said_to_be_given(self, world, ann, mine):
        before = world.clock.now()
        await ann.put(MINE, json=OFF)
        await world.api.consents.give(Caller(user_id="ann"), given(VERSIONS, VERSIONS, before), before)
        assert await withdrawn_in(world, mine) == [mine]
        assert len(await world.audit("consent_given")) == 1, "that of the opening"

    async def test_what_waited_is_answered_once_nothing_is_withdrawn(self, world, ann, mine):
        await ann.put(MINE, json=OFF)
        await ann.put(MINE, json=ON)
        assert world.queue.tasks == [], "nothing waited"
        await world.let_wait(mine)
        await ann.put(MINE, json={"consents": {NAME: False, "terms": False}})
        await ann.put(MINE, json=ON)
        assert (world.queue.tasks, await waiting_since(world, mine)) == ([], None), "another is still withdrawn"
        await ann.put(MINE, json={"consents": {"terms": True}, "versions": VERSIONS})
        assert [(task.conversation_id, task.kind) for task in world.queue.payloads] == [(mine, JobKind.ANSWER)]
        assert await waiting_since(world, mine) is not None, "the sweep makes sure of it"


class TestOpeningAnother:
    async def test_after_a_withdrawal_gives_the_consents_everywhere(self, world, ann, mine):
        before = await world.store.load(mine)
        await world.conversation("ann")
        assert await world.store.load(mine) == before, "while all stands no other is touched"
        await world.let_wait(mine)
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, False)})
        await world.conversation("ann")
        assert refused((await world.state(mine)).consents) == ()
        assert [task.kind for task in world.queue.payloads] == [JobKind.ANSWER]

    async def test_is_not_hindered_by_one_that_cannot_be_read(self, world, ann, mine, caplog):
        await world.damage(paths.view(mine), progress="broken")
        assert await world.conversation("ann")
        await ann.put(MINE, json=OFF)
        await world.damage(paths.session(mine), schema_version=999)
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
async def test_a_withdrawal_stands_against_an_opening_that_was_sent_before_it(world, ann, mine):
    async def withdraw():
        assert (await ann.put(MINE, json=OFF)).status_code == 200

    world.store.before_creating = withdraw
    opened = await ann.post(ALL, json=OPENING)
    assert (opened.status_code, opened.json()["code"]) == (403, "consent_required")
    assert [one["id"] for one in opened.json()["consents"]] == [NAME]
    kept = (await world.profile()).consents[NAME]
    assert (kept.granted, kept.withdrawn_at is not None) == (False, True)
    assert len(await world.store.views_of("ann", None, 5)) == 1


class Withdrawing(Scene):
    """Ann has three conversations, and withdraws a consent."""

    async def change(self, said, *faults):
        return await self.ask("PUT", MINE, *faults, **said)

    async def said(self):
        """Tell whether the person is told that it is withdrawn, and in how many conversations it is."""
        profile = await self.world.profile()
        return refused(profile.consents) == (NAME,), len(await withdrawn_in(self.world, *self.mine))

    async def finished(self):
        """Let the sweep finish it; return what came of its tasks, and how much is unfinished."""
        return await self.swept(JobKind.WITHDRAW), len(await self.world.paths("withdrawals"))


async def scene_of(*faults):
    scene = await Withdrawing().set(3)
    return scene, await scene.change(OFF, *faults)


@pytest.mark.parametrize("kind", [FaultKind.DEATH, FaultKind.UNAVAILABLE, FaultKind.LOST_ANSWER])
async def test_it_is_made_in_every_conversation_whatever_write_it_breaks_off_at(kind):
    whole, status = await scene_of()
    assert (status, await whole.said(), await whole.finished()) == (200, (True, 3), ([], 0))
    number = whole.world.store.faults._committed
    assert number >= 5
    for at in range(number):
        scene, status = await scene_of(Fault(kind, at))
        assert status == 503, (at, kind)
        if at == 0 and kind in LOST:
            assert (await scene.said(), await scene.finished()) == ((False, 0), ([], 0)), "nothing is done, and told"
            assert await scene.change(OFF) == 200
        else:
            ended = at == number - 1 and kind is FaultKind.LOST_ANSWER
            assert await scene.finished() == ([] if ended else DONE_AND_AGAIN, 0)
        assert await scene.said() == (True, 3), (at, kind)
        assert len(await scene.world.audit("consent_withdrawn")) == 4, "of the person, and of each conversation"
        assert await scene.world.paths("withdrawals") == []


async def test_what_a_request_could_not_finish_is_queued_at_once():
    scene, status = await scene_of(Fault(FaultKind.UNAVAILABLE, 1))
    (document,) = await scene.world.database.tree("withdrawals")
    queued = [task.name for task in scene.world.queue.take()]
    assert (status, queued) == (503, [f"{document.data['withdrawal_id']}-withdraw-0"])


@pytest.mark.parametrize("spread", [True, False])
async def test_what_is_given_again_before_it_is_finished_stands_and_stops_no_turn(spread):
    scene, _ = await scene_of(Fault(FaultKind.DEATH, 2))
    assert await scene.change(ON, *([] if spread else [Fault(FaultKind.DEATH, 1)])) == (200 if spread else 503)
    before, scene.world.stopped[:] = await scene.said(), []
    assert await scene.finished() == (DONE_AND_AGAIN, 0)
    assert (await scene.said(), scene.world.stopped) == (before, [])
    assert before == (False, 0) or not spread


async def test_of_an_erased_person_nothing_is_left_to_be_withdrawn():
    scene, _ = await scene_of(Fault(FaultKind.DEATH, 2))
    assert await scene.ask("DELETE", "/api/me") == 204
    assert await scene.finished() == (DONE_AND_AGAIN, 0)


async def test_given_again_while_the_task_is_at_work_a_message_goes_on_waiting_for_its_answer():
    scene = await Withdrawing().set(3)
    await scene.world.let_wait(scene.mine[0])
    await scene.change(OFF, Fault(FaultKind.DEATH, 1))
    listed, looks = scene.world.store.conversations_of, count()

    async def given_again_meanwhile(user_id, since=None):
        if next(looks) == 0:
            assert await scene.change(ON) == 200
        return await listed(user_id, since)

    scene.world.store.conversations_of = given_again_meanwhile
    assert await scene.finished() == (DONE_AND_AGAIN, 0)
    assert await scene.said() == (False, 0)
    assert await waiting_since(scene.world, scene.mine[0]) is not None
