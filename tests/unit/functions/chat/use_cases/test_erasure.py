"""An erasure finishes itself: after any end at any of its writes it is hidden, and task or sweep carry it out."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.contracts.tasks import JobKind
from shared.engine.jobs import JobResult
from shared.engine.sweep import Sweep
from tests.fakes.faulty_database import Fault, FaultKind, FaultyDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.unit.functions.chat.conftest import World

ALL = "/api/conversations"
THEIRS = ("sessions", "conversations", "mailboxes", "erasures")
LOST = (FaultKind.DEATH, FaultKind.UNAVAILABLE)
"""Faults at which a write is not done."""


class FaultyStore(DocumentConversationStore):
    """A store over a database that fails where a test plans it."""

    def __init__(self, database, state_model):
        self.faults = FaultyDatabase(database)
        super().__init__(self.faults, state_model)


@pytest.fixture
def store():
    return FaultyStore


class Scene:
    """Ann has two conversations, one of which she erases, or everything."""

    def __init__(self, everything):
        self.world = World(FaultyStore)
        self.everything = everything

    async def set(self):
        self.mine, self.other = [await self.world.conversation("ann") for _ in range(2)]
        self.address = "/api/me" if self.everything else f"{ALL}/{self.mine}"
        return self

    async def delete(self, *faults):
        """Ask for it; the instance reaches the store again afterwards."""
        self.world.store.faults.plan(faults)
        async with self.world.client("ann") as ann:
            status = (await ann.delete(self.address)).status_code
        self.world.store.faults.dead = False
        return status

    async def shown(self):
        """Return what is shown of what is erased, by whatever way."""
        async with self.world.client("ann") as ann:
            listed = [one["conversation_id"] for one in (await ann.get(ALL)).json()["conversations"]]
            reads = [
                await ann.get(f"{ALL}/{self.mine}"),
                await ann.get(f"{ALL}/{self.mine}/messages"),
                await ann.get(f"{ALL}/{self.mine}/export"),
                await ann.post(f"{ALL}/{self.mine}/end"),
            ]
            exported = (await ann.get("/api/me/export")).json()
        found = {one["conversation_id"] for one in exported["conversations"]} | set(listed)
        return found & {self.mine, *([self.other] if self.everything else [])} | {
            read.status_code for read in reads if read.status_code != 404
        }

    async def swept(self):
        """Let the sweep look, and do the tasks that it queues, each twice; return what came of them."""
        policy, queue = self.world.api.service.policy, MemoryTaskQueue()
        await Sweep(self.world.store, policy, queue, self.world.clock, patience=timedelta()).run()
        tasks = [task for task in queue.take() if task.kind is JobKind.ERASE]
        return [await self.world.api.erasure_requests.carry_out(task) for task in tasks for _ in range(2)]

    async def left(self):
        """Return the paths of what is left of what was erased."""
        doomed = {"ann", self.mine, *([self.other] if self.everything else [])}
        trees = [await self.world.database.tree(name) for name in (*THEIRS, "users")]
        paths = [document.path for tree in trees for document in tree]
        kept = set() if self.everything else {"users/ann"}
        return [path for path in paths if path not in kept and doomed & set(path.split("/"))]

    async def lines(self):
        tree = await self.world.database.tree("audit")
        return [one.data["action"] for one in tree if one.data["action"].startswith("erasure")]


async def writes_of(everything):
    """Count the writes of an erasure."""
    scene = await Scene(everything).set()
    assert await scene.delete() == 204
    return scene.world.store.faults._committed


async def test_it_is_hidden_at_once_and_finished_whatever_write_it_breaks_off_at(subtests):
    for kind in (FaultKind.DEATH, FaultKind.UNAVAILABLE, FaultKind.LOST_ANSWER):
        for everything in (False, True):
            with subtests.test(kind=kind, everything=everything):
                number = await writes_of(everything)
                assert number >= 5
                for at in range(number):
                    scene = await Scene(everything).set()
                    status = await scene.delete(Fault(kind, at))
                    if at == 0 and kind in LOST:
                        assert (status, await scene.lines()) == (503, []), "nothing is done, and it is told"
                        assert await scene.shown()
                        assert await scene.delete() == 204
                    else:
                        assert status == (503 if at == 0 else 202), (at, kind)
                        assert await scene.shown() == set(), (at, kind)
                        ended = at == number - 1 and kind is FaultKind.LOST_ANSWER
                        assert await scene.swept() == ([] if ended else [JobResult.DONE, JobResult.MOOT])
                    assert await scene.left() == [], (at, kind)
                    assert await scene.lines() == ["erasure_completed", "erasure_requested"]
                    before = await scene.world.database.tree("audit")
                    assert (await scene.delete(), await scene.swept()) == (204 if everything else 404, [])
                    assert await scene.world.database.tree("audit") == before, "done twice changes nothing"


async def test_asked_again_an_unfinished_one_goes_on_for_its_user_alone(world, ann, bob, mine):
    world.store.faults.plan([Fault(FaultKind.UNAVAILABLE, 1)])
    assert (await ann.delete(f"{ALL}/{mine}")).json() == {"status": "hidden"}
    assert [task.name for task in world.queue.take()] == [f"{mine}-erase-0"]
    assert (await bob.delete(f"{ALL}/{mine}")).status_code == 404
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 204
    assert (await ann.delete(f"{ALL}/{mine}")).status_code == 404
    assert [document.path for name in THEIRS for document in await world.database.tree(name)] == []


class StalledStore(FaultyStore):
    """Deletes nothing, and does not say so."""

    async def erase(self, conversation_id):
        await asyncio.Event().wait()


@pytest.mark.parametrize("store", [StalledStore])
@pytest.mark.parametrize("address", ["/api/me", f"{ALL}/c1"])
async def test_what_takes_longer_than_a_request_may_is_left_to_a_task(world, ann, mine, address):
    impatient = replace(world.api.erasure_requests, seconds=0.05)
    object.__setattr__(world.api, "erasure_requests", impatient)
    assert (await ann.delete(address)).status_code == 202
    assert [task.kind for task in world.queue.take()] == [JobKind.ERASE]
    assert (await ann.get(f"{ALL}/{mine}")).status_code == 404
    assert world.turns.stopped == [mine]
