"""An erasure that fails at any of its writes hides its target at once, and its task or the sweep finishes it."""

import asyncio
from dataclasses import replace

import pytest

from shared.contracts.tasks import JobKind
from shared.engine.jobs import JobResult
from tests.fakes.faulty_database import Fault, FaultKind
from tests.unit.functions.chat.conftest import ALL, LOST, Scene

COLLECTIONS = ("sessions", "conversations", "mailboxes", "erasures", "documents")


class ErasureScene(Scene):
    """Ann has two conversations and a document, and erases one of the conversations, or everything."""

    async def delete(self, *faults):
        return await self.ask("DELETE", self.address, *faults)

    async def shown(self):
        """Return the erased conversations that list or export shows, and the statuses of reads other than 404."""
        one = f"{ALL}/{self.mine[0]}"
        async with self.world.client("ann") as ann:
            listed = (await ann.get(ALL)).json()["conversations"]
            exported = (await ann.get("/api/me/export")).json()["conversations"]
            reads = [await ann.get(path) for path in (one, f"{one}/messages", f"{one}/export")]
            reads.append(await ann.post(f"{one}/end"))
        found = {one["conversation_id"] for one in (*listed, *exported)}
        return found & self.doomed | {read.status_code for read in reads if read.status_code != 404}

    async def left(self):
        """Return the paths of the documents that were to be erased and are still there."""
        found = [path for path in await self.world.paths(*COLLECTIONS, "users") if path not in self.kept]
        return [path for path in found if {"ann", *self.doomed} & set(path.split("/"))]

    async def lines(self):
        return sorted(one["action"] for one in await self.world.audit("erasure_requested", "erasure_completed"))


async def scene_of(everything):
    scene = await ErasureScene().set(2)
    scene.address = "/api/me" if everything else f"{ALL}/{scene.mine[0]}"
    scene.doomed = {*scene.mine} if everything else {scene.mine[0]}
    async with scene.world.client("ann") as ann:
        sent = await ann.post("/api/documents", files={"file": ("계약서.txt", "제1조(목적) 상담을 정한다.".encode())})
    document = sent.json()["document_id"]
    scene.doomed |= {document} if everything else set()
    scene.kept = set() if everything else {"users/ann"}
    return scene


@pytest.mark.parametrize("kind", [FaultKind.DEATH, FaultKind.UNAVAILABLE, FaultKind.LOST_ANSWER])
@pytest.mark.parametrize("everything", [False, True])
async def test_an_erasure_that_fails_at_any_write_hides_its_target_at_once_and_is_finished(kind, everything):
    whole = await scene_of(everything)
    assert await whole.delete() == 204
    number = whole.world.faults._committed
    assert number >= 5
    for at in range(number):
        scene = await scene_of(everything)
        status = await scene.delete(Fault(kind, at))
        if at == 0 and kind in LOST:
            assert (status, await scene.lines()) == (503, []), "nothing was written"
            assert await scene.shown()
            assert await scene.delete() == 204
        else:
            assert status == (503 if at == 0 else 202), (at, kind)
            assert await scene.shown() == set(), (at, kind)
            ended = at == number - 1 and kind is FaultKind.LOST_ANSWER
            assert await scene.swept(JobKind.ERASE) == ([] if ended else [JobResult.DONE, JobResult.MOOT])
        assert await scene.left() == [], (at, kind)
        assert await scene.lines() == ["erasure_completed", "erasure_requested"]
        before = await scene.world.audit()
        assert (await scene.delete(), await scene.swept(JobKind.ERASE)) == (204 if everything else 404, [])
        assert await scene.world.audit() == before, "a second erasure writes no audit line"


async def test_an_unfinished_erasure_is_finished_when_its_user_and_no_other_asks_again(world, ann, bob, mine):
    world.faults.plan([Fault(FaultKind.UNAVAILABLE, 1)])
    assert (await ann.delete(f"{ALL}/{mine}")).json() == {"status": "hidden"}
    assert [task.name for task in world.queue.take()] == [f"{mine}-erase-0"]
    asked = [(await client.delete(f"{ALL}/{mine}")).status_code for client in (bob, ann, ann)]
    assert asked == [404, 204, 404]
    assert await world.paths(*COLLECTIONS) == []


@pytest.mark.parametrize("address", ["/api/me", f"{ALL}/{{mine}}"])
async def test_an_erasure_that_takes_longer_than_a_request_is_left_to_a_task(world, ann, mine, address):
    async def stalled(conversation_id):
        await asyncio.Event().wait()

    world.store.erase = stalled
    impatient = replace(world.api.erasure_requests, seconds=0.05)
    object.__setattr__(world.api, "erasure_requests", impatient)
    assert (await ann.delete(address.format(mine=mine))).status_code == 202
    assert [task.kind for task in world.queue.take()] == [JobKind.ERASE]
    assert (await ann.get(f"{ALL}/{mine}")).status_code == 404
    assert world.stopped == [mine]
