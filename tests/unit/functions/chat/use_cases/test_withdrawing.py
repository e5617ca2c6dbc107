"""A withdrawal finishes itself: after any end at any of its writes, task or sweep make it in every conversation."""

from datetime import timedelta
from itertools import count

import pytest

from functions.chat.dispatch import KINDS, dispatch
from shared.content.catalogue import content
from shared.domain.consents import refused
from shared.domain.counseling.profile import Profile
from shared.engine.jobs import JobResult
from shared.engine.sweep import Sweep
from tests.fakes.faulty_database import Fault, FaultKind
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.unit.functions.chat.conftest import World
from tests.unit.functions.chat.use_cases.test_consents_everywhere import let_wait
from tests.unit.functions.chat.use_cases.test_erasure import LOST, FaultyStore

MINE = "/api/me/consents"
NAME = "overseas_transfer"
OFF = {"consents": {NAME: False}}
ON = {"consents": {NAME: True}, "versions": content().consents.versions}


class Scene:
    """Ann has three conversations, and withdraws a consent."""

    async def set(self):
        self.world = World(FaultyStore)
        self.mine = [await self.world.conversation("ann") for _ in range(3)]
        return self

    async def change(self, said, *faults):
        """Ask for it; the instance reaches the store again afterwards."""
        self.world.store.faults.plan(faults)
        async with self.world.client("ann") as ann:
            status = (await ann.put(MINE, json=said)).status_code
        self.world.store.faults.dead = False
        return status

    async def said(self):
        """Tell whether the person is told that it is withdrawn, and in how many conversations it is."""
        profile = (await self.world.store.user("ann", Profile)).document
        states = [(await self.world.store.load(one)).session.state for one in self.mine]
        return refused(profile.consents) == (NAME,), [refused(state.consents) for state in states].count((NAME,))

    async def swept(self):
        """Let the sweep look, and do the tasks that it queues, each twice; return what came of them."""
        policy, queue, api = self.world.api.service.policy, MemoryTaskQueue(), self.world.api
        await Sweep(self.world.store, policy, queue, self.world.clock, patience=timedelta()).run()
        tasks = [task for task in queue.take() if task.kind.value == "withdraw"]
        assert {task.kind for task in tasks} <= KINDS
        return [
            await dispatch(self.world.turns, api.erasure_requests, api.consents, one) for one in tasks for _ in range(2)
        ]

    async def lines(self):
        tree = await self.world.database.tree("audit")
        return [one.data["action"] for one in tree].count("consent_withdrawn")

    async def unfinished(self):
        return len(await self.world.database.tree("withdrawals"))


@pytest.mark.parametrize("kind", [FaultKind.DEATH, FaultKind.UNAVAILABLE, FaultKind.LOST_ANSWER])
async def test_it_is_made_in_every_conversation_whatever_write_it_breaks_off_at(kind):
    whole = await Scene().set()
    assert (await whole.change(OFF), await whole.said(), await whole.unfinished()) == (200, (True, 3), 0)
    number = whole.world.store.faults._committed
    assert number >= 5
    for at in range(number):
        scene = await Scene().set()
        status = await scene.change(OFF, Fault(kind, at))
        assert status == 503, (at, kind)
        if at == 0 and kind in LOST:
            assert (await scene.said(), await scene.unfinished()) == ((False, 0), 0), "nothing is done, and it is told"
            assert await scene.change(OFF) == 200
        else:
            ended = at == number - 1 and kind is FaultKind.LOST_ANSWER
            assert await scene.swept() == ([] if ended else [JobResult.DONE, JobResult.MOOT])
        assert (await scene.said(), await scene.unfinished()) == ((True, 3), 0), (at, kind)
        assert await scene.lines() == 4, "of the person, and of each conversation"


async def test_what_a_request_could_not_finish_is_queued_at_once():
    scene = await Scene().set()
    assert await scene.change(OFF, Fault(FaultKind.UNAVAILABLE, 1)) == 503
    (document,) = await scene.world.database.tree("withdrawals")
    assert [task.name for task in scene.world.queue.take()] == [f"{document.data['withdrawal_id']}-withdraw-0"]


async def test_what_is_given_again_before_it_is_finished_stands_and_stops_no_turn(subtests):
    for spread in (True, False):
        with subtests.test(spread=spread):
            scene = await Scene().set()
            await scene.change(OFF, Fault(FaultKind.DEATH, 2))
            assert await scene.change(ON, *([] if spread else [Fault(FaultKind.DEATH, 1)])) == (200 if spread else 503)
            before, scene.world.stopped[:] = await scene.said(), []
            assert await scene.swept() == [JobResult.DONE, JobResult.MOOT]
            assert (await scene.said(), await scene.unfinished(), scene.world.stopped) == (before, 0, [])
            assert before == (False, 0) or not spread


async def test_of_an_erased_person_nothing_is_left_to_be_withdrawn():
    scene = await Scene().set()
    await scene.change(OFF, Fault(FaultKind.DEATH, 2))
    async with scene.world.client("ann") as ann:
        assert (await ann.delete("/api/me")).status_code == 204
    assert (await scene.swept(), await scene.unfinished()) == ([JobResult.DONE, JobResult.MOOT], 0)


async def test_given_again_while_the_task_is_at_work_a_message_goes_on_waiting_for_its_answer():
    scene = await Scene().set()
    first, store = scene.mine[0], scene.world.store
    await let_wait(scene.world, first)
    await scene.change(OFF, Fault(FaultKind.DEATH, 1))
    listed, looks = store.conversations_of, count()

    async def given_again_meanwhile(user_id, since=None):
        if next(looks) == 0:
            assert await scene.change(ON) == 200
        return await listed(user_id, since)

    store.conversations_of = given_again_meanwhile
    assert await scene.swept() == [JobResult.DONE, JobResult.MOOT]
    assert await scene.said() == (False, 0)
    assert (await store.mailbox(first)).box.waiting_since is not None
