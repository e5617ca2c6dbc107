"""What the platform may do at any time, on the real parts: kill a process."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.domain.counseling.session import Session
from shared.domain.erasure import Erasure
from tests.chaos.findings import report
from tests.chaos.run import chaos
from tests.chaos.schedule import schedule
from tests.support.chat_client import Person, signed_in
from tests.support.emulated import Emulated
from tests.support.first_session import BETWEEN, PART_1
from tests.support.forked import ForkedSimulator
from tests.support.listing import every_document, holding
from tests.support.moments import kill_within_turn
from tests.support.polling import eventually, until
from tests.support.simulator import Simulator
from tests.support.watching import firestore_client, watching

pytestmark = pytest.mark.emulator

CHAOS_SEED, CHAOS_S = 5, 8.0
"""`make chaos` takes other seeds, and minutes."""
DONE_WITHIN_S = 120
"""With a process to start again in it, on a busy machine."""


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    """A model that outlives everything."""
    with ForkedSimulator(tmp_path_factory.mktemp("simulator")) as running:
        yield running


@pytest.fixture(scope="module")
def emulated(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """All of it; what a test kills is started again, and the sweep has little patience."""
    sweep = {"CBOT_SWEEP_SECONDS": "1", "CBOT_SWEEP_GRACE_SECONDS": "2", "CBOT_SWEEP_PATIENCE_SECONDS": "2"}
    impatient = {**sweep, "CBOT_CLAIM_SECONDS": "2"}
    access = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": simulator.address}
    with Emulated(tmp_path_factory.mktemp("emulated"), **access, **impatient) as running:
        yield running


class Part:
    """One part of the household, for whoever kills servers."""

    def __init__(self, emulated: Emulated, name: str) -> None:
        self.emulated = emulated
        self.name = name

    def kill(self) -> None:
        self.emulated.kill_part(self.name)


async def restarted(emulated: Emulated, part: str, gone: int) -> None:
    await until(lambda: emulated.pid_of(part) not in {None, gone}, within_s=DONE_WITHIN_S, what=f"another {part}")


async def said(person: Person, conversation_id: str, text: str, message_id: str | None = None) -> dict[str, Any]:
    """Send a message as a client does: again under the same id while nobody answers."""
    message_id = message_id or str(uuid4())

    async def answered() -> dict[str, Any] | None:
        try:
            response = await person.send(conversation_id, text, message_id)
        except httpx.TransportError:
            return None
        return response.json() if response.status_code == 200 else None

    return await eventually(answered, within_s=DONE_WITHIN_S, what="a reply")


async def test_a_chat_function_killed_in_a_turn_answers_it_after_its_restart(
    emulated: Emulated, simulator: Simulator
) -> None:
    message_id = str(uuid4())
    async with signed_in(emulated.address, api=emulated.chat) as person:
        conversation = await person.open()
        await said(person, conversation.id, PART_1[0].text)
        chat = Part(emulated, "chat")
        await kill_within_turn(person, chat, simulator, conversation.id, message_id, PART_1[1].text, streaming=False)
        reply = await said(person, conversation.id, PART_1[1].text, message_id)
        repeated = await said(person, conversation.id, PART_1[1].text, message_id)
        history = await person.messages(conversation.id)
    assert (reply, reply["seq"]) == (repeated, 2)
    assert [entry["text"] for entry in history if entry["role"] == "user"] == [line.text for line in PART_1[:2]]


@pytest.mark.parametrize(
    ("part", "before", "work"),
    [
        ("session_manager", 5, "reviews/"),
        ("deliveries", 3, "supervision/"),
        ("deliveries", 6, "plan_status=ready"),
    ],
)
async def test_the_work_of_a_killed_process_is_done_after_its_restart(
    emulated: Emulated, simulator: Simulator, part: str, before: int, work: str
) -> None:
    """Of which turn depends on how many were talked meanwhile: one judgement serves a whole period."""
    simulator.reset()
    with ExitStack() as stack:
        client = stack.enter_context(firestore_client(emulated.firestore, emulated.parts()["project"]))
        async with signed_in(emulated.address, api=emulated.chat) as person:
            conversation = await person.open()
            watched = stack.enter_context(watching(client, conversation.id))
            gone = 0
            for number, line in enumerate((*PART_1, BETWEEN, BETWEEN), start=1):
                if number == before:
                    gone = emulated.kill_part(part)
                reply = await said(person, conversation.id, line.text)
                if number > before and reply["state_snapshot"]["plan_status"] == "planning":
                    break
            await restarted(emulated, part, gone)
            await watched.sees(work, within_s=DONE_WITHIN_S)
            history = await person.messages(conversation.id)

    assert [entry["seq"] for entry in history] == sorted(entry["seq"] for entry in history)
    assert len(history) == 2 * number + 1


@pytest.mark.parametrize(
    ("part", "agent", "due", "work"),
    [
        ("supervisor", "Judgement", 3, "supervision/"),
        ("session_manager", "SessionReview", 5, "reviews/"),
        ("planner", "PlanProposal", 6, "plan_status=ready"),
    ],
)
async def test_a_process_killed_while_the_model_thinks_does_its_work_after_its_restart(
    emulated: Emulated, simulator: Simulator, part: str, agent: str, due: int, work: str
) -> None:
    simulator.reset()
    simulator.fault("hang", agent)
    with ExitStack() as stack:
        client = stack.enter_context(firestore_client(emulated.firestore, emulated.parts()["project"]))
        async with signed_in(emulated.address, api=emulated.chat) as person:
            conversation = await person.open()
            watched = stack.enter_context(watching(client, conversation.id))
            for number, line in enumerate((*PART_1, BETWEEN, BETWEEN), start=1):
                await said(person, conversation.id, line.text)
                if number >= due and simulator.calls().get(agent):  # earlier it is another conversation's
                    break
            await until(lambda: simulator.calls().get(agent), what=f"a call of {agent}")
            gone = emulated.kill_part(part)
            simulator.heal()
            assert not watched.has(work)
            await restarted(emulated, part, gone)
            await watched.sees(work, within_s=DONE_WITHIN_S)


async def test_a_message_that_nobody_comes_back_for_is_answered_after_a_crash(
    emulated: Emulated, simulator: Simulator
) -> None:
    simulator.reset()
    message_id = str(uuid4())
    async with signed_in(emulated.address, api=emulated.chat) as person:
        conversation = await person.open()
        chat = Part(emulated, "chat")
        await kill_within_turn(person, chat, simulator, conversation.id, message_id, PART_1[1].text, streaming=False)
    with firestore_client(emulated.firestore, emulated.parts()["project"]) as client:
        reply = client.document(f"conversations/{conversation.id}/messages/1-counselor")
        await until(lambda: reply.get().exists, within_s=DONE_WITHIN_S, what="a reply, found by the sweep")
        assert reply.get().get("message_id") == message_id


async def test_erasing_a_person_during_a_turn_and_with_work_queued_leaves_no_document_of_theirs(
    emulated: Emulated, simulator: Simulator
) -> None:
    simulator.reset()
    project = emulated.parts()["project"]
    await asyncio.to_thread(emulated.control, "hold")
    async with signed_in(emulated.address, api=emulated.chat) as person:
        ended, open_one = await person.open(), await person.open()
        await said(person, ended.id, PART_1[0].text)
        await person.http.post(f"/api/conversations/{ended.id}/end")
        for line in PART_1[:3]:
            await said(person, open_one.id, line.text)
        theirs = (person.uid, ended.id, open_one.id)
        before = holding(every_document(emulated.firestore, project), *theirs)
        simulator.pace(ttft_ms=1500)
        simulator.forget_calls()
        turn = asyncio.create_task(person.send(open_one.id, PART_1[3].text))
        await until(simulator.calls, what="a turn that waits for the model")
        assert not turn.done()

        erased = await person.http.delete("/api/me")
        simulator.pace()
        await asyncio.to_thread(emulated.control, "release")
        await asyncio.to_thread(emulated.control, "idle")
        refused = await turn

    assert erased.status_code == 204
    assert (refused.status_code, refused.json().get("code")) == (404, "not_found"), refused.text
    assert {path.split("/")[0] for path in before} == {"audit", "conversations", "mailboxes", "sessions", "users"}
    left = every_document(emulated.firestore, project)
    audit = {path: fields for path, fields in left.items() if path.startswith("audit/")}
    assert set(holding(left, *theirs)) <= set(audit), "the trail knows the conversations' random ids, and nothing else"
    assert not holding(audit, person.uid, *(line.text for line in PART_1))


async def test_an_erasure_whose_instance_died_right_after_hiding_it_is_finished_by_the_sweep_and_a_task(
    emulated: Emulated, simulator: Simulator
) -> None:
    simulator.reset()
    project = emulated.parts()["project"]
    async with signed_in(emulated.address, api=emulated.chat) as person:
        conversation = await person.open()
        database = FirestoreDocumentDatabase.connect(project, emulator=emulated.firestore)
        store, now = DocumentConversationStore(database, Session), datetime.now(UTC)
        erasure = Erasure(
            erasure_id=conversation.id,
            user_id=person.uid,
            everything=False,
            conversations=(conversation.id,),
            opened_at=now,
            requested_at=now,
        )
        await store.hide_conversation(erasure, _no_profile)
        await database.aclose()
        shown = await person.http.get(f"/api/conversations/{conversation.id}")
    assert shown.status_code == 404

    def left() -> dict[str, Any]:
        return holding(every_document(emulated.firestore, project), conversation.id)

    await until(lambda: {path.split("/")[0] for path in left()} == {"audit"}, within_s=DONE_WITHIN_S, what="its end")
    assert f"audit/{conversation.id}-erasure-completed" in left()


async def _no_profile() -> None:
    return None


async def test_every_promise_holds_after_a_few_seconds_of_chaos(emulated: Emulated, simulator: Simulator) -> None:
    simulator.reset()
    record = await chaos(schedule(CHAOS_SEED, CHAOS_S), emulated, simulator, DONE_WITHIN_S)
    assert not record.found, report(record, CHAOS_SEED, CHAOS_S / 60)
    assert record.done["conversations opened"]


async def test_the_scheduler_sweeps(emulated: Emulated) -> None:
    log = Path(emulated.parts()["logs"]) / "session_manager.log"
    await until(lambda: "handed_over=0" in log.read_text("utf-8"), what="a sweep")


async def test_everything_ends_when_the_database_does_since_it_is_in_memory(emulated: Emulated) -> None:
    """The last that the tests of this module ask of it."""
    pids = [pid for pid in emulated.parts()["pids"].values() if pid]
    emulated.kill_part("firestore")
    await until(lambda: not emulated.alive, what="an end")
    assert "the Firestore emulator ended" in emulated.stderr
    await until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()], what="the end of all parts")
