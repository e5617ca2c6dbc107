"""An erasure that fails at any of its writes hides its target at once, and its task or the sweep finishes it."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.contracts.tasks import JobKind
from shared.engine.jobs import JobResult
from tests.builders.appointments import appointment
from tests.fakes.faulty_database import Fault, FaultKind
from tests.unit.functions.chat.conftest import ALL, LOST, Scene

COLLECTIONS = (
    "sessions", "conversations", "mailboxes", "erasures", "documents",
    "appointments", "appointment_seats", "appointment_users",
)  # fmt: skip
LISTS = (ALL, "/api/documents", "/api/bookings", "/api/me/export")
BOOKED = ["a" * 24, "b" * 24]


class ErasureScene(Scene):
    """Ann has two conversations, a document and bookings; she erases a conversation, the document, or everything."""

    async def delete(self, *faults):
        return await self.ask("DELETE", self.address, *faults)

    async def shown(self):
        """Return what of the erased an endpoint shows: ids in lists, and the statuses of reads other than 404."""
        async with self.world.client("ann") as ann:
            lists = "".join([(await ann.get(path)).text for path in LISTS])
            statuses = {(await ann.get(path)).status_code for path in self.reads}
            if self.mine[0] in self.doomed:
                statuses.add((await ann.post(f"{ALL}/{self.mine[0]}/end")).status_code)
        return {one for one in self.doomed if one in lists} | statuses - {404}

    async def left(self):
        """Return the paths of the documents that were to be erased and are still there."""
        found = [path for path in await self.world.paths(*COLLECTIONS, "users") if path not in self.kept]
        return [path for path in found if self.address == "/api/me" or self.doomed & set(path.split("/"))]

    async def lines(self):
        actions = ("document_deleted", "erasure_requested", "erasure_completed")
        return sorted(one["action"] for one in await self.world.audit(*actions))


async def scene_of(what):
    scene = await ErasureScene().set(2)
    async with scene.world.client("ann") as ann:
        sent = await ann.post("/api/documents", files={"file": ("계약서.txt", "제1조(목적) 상담을 정한다.".encode())})
    one, document, booked = f"{ALL}/{scene.mine[0]}", sent.json()["document_id"], scene.world.api.bookings.appointments
    await DocumentPassageVectors(scene.world.database).keep_vectors(document, "one/2", {"article-1": (1.0, 0.0)})
    now = scene.world.clock.now()
    for days, name in enumerate(BOOKED, 1):
        await booked.book(appointment("ann", now + timedelta(days=days), name=name, now=now), 1)
    of_one = {scene.mine[0]}, [one, f"{one}/messages", f"{one}/export"]
    of_document = {document}, [f"/api/documents/{document}", f"/api/documents/{document}/passages/article-1"]
    reads = [*of_one[1], *of_document[1], *(f"/api/bookings/{name}.ics" for name in BOOKED)]
    of_all = {*scene.mine, document, *BOOKED}, reads
    targets = {"conversation": (one, of_one), "document": (of_document[1][0], of_document), "all": ("/api/me", of_all)}
    scene.address, (scene.doomed, scene.reads) = targets[what]
    scene.kept = set() if what == "all" else {"users/ann"}
    return scene


@pytest.mark.parametrize("kind", [FaultKind.DEATH, FaultKind.UNAVAILABLE, FaultKind.LOST_ANSWER])
@pytest.mark.parametrize("what", ["conversation", "document", "all"])
async def test_an_erasure_that_fails_at_any_write_hides_its_target_at_once_and_is_finished(kind, what):
    whole = await scene_of(what)
    assert await whole.delete() == 204
    requested, number = await whole.lines(), whole.world.faults._committed
    assert number >= 3
    for at in range(number):
        scene = await scene_of(what)
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
        assert await scene.lines() == requested
        before = await scene.world.audit()
        assert (await scene.delete(), await scene.swept(JobKind.ERASE)) == (204 if what == "all" else 404, [])
        assert await scene.world.audit() == before, "a second erasure writes no audit line"


async def test_bookings_that_are_too_many_for_the_first_write_are_past_ones_and_are_erased_after_a_kill():
    scene = await scene_of("all")
    now, booked = scene.world.clock.now(), scene.world.api.bookings.appointments
    for days in range(2, 22):
        await booked.book(appointment("ann", now - timedelta(days=days), name=f"p{days}", now=now), 1)
    assert (await scene.delete(Fault(FaultKind.DEATH, 1)), await scene.shown()) == (503, set())
    assert (await scene.swept(JobKind.ERASE), await scene.swept(JobKind.ERASE))[0]
    assert await scene.left() == []


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
