"""A consent that a user gives or withdraws takes effect in all their conversations, in any order of the requests.

A withdrawal that fails at any of its writes is finished by its task or by the sweep.
"""

import pytest

from shared.adapters.documents import paths
from shared.contracts.tasks import JobKind
from shared.domain.consents import given, refused
from shared.engine.jobs import JobResult
from shared.ports.identity import Caller
from tests.fakes.faulty_database import Fault, FaultKind
from tests.unit.functions.chat.conftest import ALL, LOST, MINE, OPENING, VERSIONS, Scene, interrupt

NAME = "overseas_transfer"
OFF = {"consents": {NAME: False}}
ON = {"consents": {NAME: True}, "versions": VERSIONS}
DONE_AND_AGAIN = [JobResult.DONE, JobResult.MOOT]


async def withdrawn_in(world, *conversations):
    """Return the conversations in which this consent, and no other, is withdrawn."""
    return [one for one in conversations if refused((await world.state(one)).consents) == (NAME,)]


async def waiting_since(world, conversation):
    return (await world.store.mailbox(conversation)).box.waiting_since


class TestAWithdrawal:
    async def test_stops_the_turns_of_this_instance_and_leaves_no_message_waiting_for_the_sweep(self, world, ann, mine):
        other = await world.conversation("ann")
        await world.let_wait(mine)
        await ann.put(MINE, json=ON)
        assert world.stopped == [], "giving a consent stops no turn"
        await ann.put(MINE, json=OFF)
        assert {*world.stopped} == {mine, other}
        box = (await world.store.mailbox(mine)).box
        assert (box.waiting_since, len(box.inbox)) == (None, 1)

    async def test_reaches_every_other_conversation_when_one_session_is_unreadable(self, world, ann):
        *others, bad = [await world.conversation("ann") for _ in range(25)]
        token = (await world.let_wait(bad, claimed=True)).last_token
        await world.damage(paths.session(bad), schema_version=999)
        assert (await ann.put(MINE, json=OFF)).status_code == 500
        assert await withdrawn_in(world, *others) == others
        box = (await world.store.mailbox(bad)).box
        assert (box.lease, box.last_token) == (None, token + 1), "the turn of the unreadable session is stopped"
        assert bad in world.stopped

    async def test_reaches_every_conversation_when_one_view_is_unreadable(self, world, ann):
        made = [await world.conversation("ann") for _ in range(3)]
        await world.damage(paths.view(made[1]), progress="broken")
        assert (await ann.put(MINE, json=OFF)).status_code == 200
        assert await withdrawn_in(world, *made) == made
        assert {*world.stopped} == {*made}

    async def test_forbids_a_rating_with_a_comment_until_the_consent_is_given_again(self, world, ann, mine):
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
    async def test_with_an_older_time_does_not_undo_a_later_withdrawal(self, world, ann, mine):
        before = world.clock.now()
        await ann.put(MINE, json=OFF)
        await world.api.consents.give(Caller(user_id="ann"), given(VERSIONS, VERSIONS, before), before)
        assert await withdrawn_in(world, mine) == [mine]
        assert len(await world.audit("consent_given")) == 1, "the line of the opening"

    async def test_queues_a_waiting_message_once_no_consent_is_withdrawn(self, world, ann, mine):
        await ann.put(MINE, json=OFF)
        await ann.put(MINE, json=ON)
        assert world.queue.tasks == [], "no message waited"
        await world.let_wait(mine)
        await ann.put(MINE, json={"consents": {NAME: False, "terms": False}})
        await ann.put(MINE, json=ON)
        assert (world.queue.tasks, await waiting_since(world, mine)) == ([], None), "another is still withdrawn"
        await ann.put(MINE, json={"consents": {"terms": True}, "versions": VERSIONS})
        assert [(task.conversation_id, task.kind) for task in world.queue.payloads] == [(mine, JobKind.ANSWER)]
        assert await waiting_since(world, mine) is not None, "the sweep finds it if the task is lost"


class TestOpeningAnotherConversation:
    async def test_after_a_withdrawal_gives_the_consents_in_every_conversation(self, world, ann, mine):
        before = await world.store.load(mine)
        await world.conversation("ann")
        assert await world.store.load(mine) == before, "no other conversation is written while no consent is withdrawn"
        await world.let_wait(mine)
        await ann.put(MINE, json={"consents": dict.fromkeys(VERSIONS, False)})
        await world.conversation("ann")
        assert refused((await world.state(mine)).consents) == ()
        assert [task.kind for task in world.queue.payloads] == [JobKind.ANSWER]

    async def test_succeeds_when_another_conversation_is_unreadable(self, world, ann, mine, caplog):
        await world.damage(paths.view(mine), progress="broken")
        assert await world.conversation("ann")
        await ann.put(MINE, json=OFF)
        await world.damage(paths.session(mine), schema_version=999)
        assert await world.conversation("ann")
        assert "consents_not_spread" in caplog.text


async def test_an_opening_that_was_sent_before_a_withdrawal_is_refused(world, ann, mine):
    async def withdraw():
        assert (await ann.put(MINE, json=OFF)).status_code == 200

    interrupt(world.store, "create", withdraw)
    opened = await ann.post(ALL, json=OPENING)
    assert (opened.status_code, opened.json()["code"]) == (403, "consent_required")
    assert [one["id"] for one in opened.json()["consents"]] == [NAME]
    kept = (await world.profile()).consents[NAME]
    assert (kept.granted, kept.withdrawn_at is not None) == (False, True)
    assert len(await world.store.views_of("ann", None, 5)) == 1


class WithdrawalScene(Scene):
    """Ann has three conversations, and withdraws a consent."""

    async def put(self, body, *faults):
        return await self.ask("PUT", MINE, *faults, **body)

    async def withdrawn(self):
        """Return whether the profile says that it is withdrawn, and the number of conversations that say so."""
        profile = await self.world.profile()
        return refused(profile.consents) == (NAME,), len(await withdrawn_in(self.world, *self.mine))

    async def finished(self):
        """Let the sweep finish it; return the results of its tasks, and the number of unfinished withdrawals."""
        return await self.swept(JobKind.WITHDRAW), len(await self.world.paths("withdrawals"))


async def scene_of(*faults):
    scene = await WithdrawalScene().set(3)
    return scene, await scene.put(OFF, *faults)


@pytest.mark.parametrize("kind", [FaultKind.DEATH, FaultKind.UNAVAILABLE, FaultKind.LOST_ANSWER])
async def test_a_withdrawal_that_fails_at_any_write_is_finished_in_every_conversation(kind):
    whole, status = await scene_of()
    assert (status, await whole.withdrawn(), await whole.finished()) == (200, (True, 3), ([], 0))
    number = whole.world.faults._committed
    assert number >= 5
    for at in range(number):
        scene, status = await scene_of(Fault(kind, at))
        assert status == 503, (at, kind)
        if at == 0 and kind in LOST:
            assert (await scene.withdrawn(), await scene.finished()) == ((False, 0), ([], 0)), "nothing was written"
            assert await scene.put(OFF) == 200
        else:
            ended = at == number - 1 and kind is FaultKind.LOST_ANSWER
            assert await scene.finished() == ([] if ended else DONE_AND_AGAIN, 0)
        assert await scene.withdrawn() == (True, 3), (at, kind)
        assert len(await scene.world.audit("consent_withdrawn")) == 4, "one line for the user and each conversation"
        assert await scene.world.paths("withdrawals") == []


async def test_a_withdrawal_that_a_request_cannot_finish_is_queued_as_a_task():
    scene, status = await scene_of(Fault(FaultKind.UNAVAILABLE, 1))
    (document,) = await scene.world.database.tree("withdrawals")
    queued = [task.name for task in scene.world.queue.take()]
    assert (status, queued) == (503, [f"{document.data['withdrawal_id']}-withdraw-0"])


@pytest.mark.parametrize("spread", [True, False])
async def test_a_consent_given_before_its_withdrawal_is_finished_stands_and_stops_no_turn(spread):
    scene, _ = await scene_of(Fault(FaultKind.DEATH, 2))
    assert await scene.put(ON, *([] if spread else [Fault(FaultKind.DEATH, 1)])) == (200 if spread else 503)
    before, scene.world.stopped[:] = await scene.withdrawn(), []
    assert await scene.finished() == (DONE_AND_AGAIN, 0)
    assert (await scene.withdrawn(), scene.world.stopped) == (before, [])
    assert before == (False, 0) or not spread


async def test_erasing_the_user_ends_an_unfinished_withdrawal():
    scene, _ = await scene_of(Fault(FaultKind.DEATH, 2))
    assert await scene.ask("DELETE", "/api/me") == 204
    assert await scene.finished() == (DONE_AND_AGAIN, 0)


async def test_a_consent_given_while_the_withdrawal_task_runs_keeps_its_message_waiting():
    scene = await WithdrawalScene().set(3)
    await scene.world.let_wait(scene.mine[0])
    await scene.put(OFF, Fault(FaultKind.DEATH, 1))

    async def give_again():
        assert await scene.put(ON) == 200

    interrupt(scene.world.store, "conversations_of", give_again)
    assert await scene.finished() == (DONE_AND_AGAIN, 0)
    assert await scene.withdrawn() == (False, 0)
    assert await waiting_since(scene.world, scene.mine[0]) is not None
