"""What the platform may do at any time, on the real parts: kill a process."""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import httpx
import pytest

from tests.builders.first_session import BETWEEN, PART_1
from tests.chaos.findings import report
from tests.chaos.run import chaos
from tests.chaos.schedule import schedule
from tests.support.chat_client import signed_in
from tests.support.emulated import Emulated
from tests.support.listing import every_document, holding
from tests.support.moments import kill_within_turn
from tests.support.polling import eventually, until
from tests.support.watching import firestore_client, watching

pytestmark = pytest.mark.emulator

CHAOS_SEED, CHAOS_S = 5, 8.0
"""`make chaos` takes other seeds, and minutes."""
DONE_WITHIN_S = 120
"""With a process to start again in it, on a busy machine."""
LINES = [line.text for line in (*PART_1, BETWEEN, BETWEEN)]


@pytest.fixture(scope="module")
def emulated(simulator, tmp_path_factory):
    """All of it; what a test kills is started again, and the sweep has little patience."""
    sweep = {"CBOT_SWEEP_SECONDS": "1", "CBOT_SWEEP_GRACE_SECONDS": "2", "CBOT_SWEEP_PATIENCE_SECONDS": "2"}
    access = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": simulator.address}
    with Emulated(tmp_path_factory.mktemp("emulated"), **access, **sweep, CBOT_CLAIM_SECONDS="2") as running:
        yield running


@pytest.fixture
async def person(emulated, model):
    async with signed_in(emulated.address, api=emulated.chat) as signed:
        yield signed


@pytest.fixture
async def watched(emulated, person):
    """A new conversation, watched through Firestore's own client."""
    with ExitStack() as stack:
        client = stack.enter_context(firestore_client(emulated.firestore, emulated.parts()["project"]))
        yield stack.enter_context(watching(client, (await person.open()).id))


async def restarted(emulated, part, gone):
    await until(lambda: emulated.pid_of(part) not in {None, gone}, within_s=DONE_WITHIN_S, what=f"another {part}")


async def said(person, conversation_id, text, message_id=None):
    """Send a message as a client does: again under the same id while nobody answers."""
    message_id = message_id or str(uuid4())

    async def answered():
        try:
            response = await person.send(conversation_id, text, message_id)
        except httpx.TransportError:
            return None
        return response.json() if response.status_code == 200 else None

    return await eventually(answered, within_s=DONE_WITHIN_S, what="a reply")


@pytest.mark.parametrize("retried", [True, False], ids=["its client retries", "nobody comes back for it"])
async def test_a_turn_that_a_kill_of_the_chat_function_cut_is_answered_after_its_restart(
    emulated, person, model, watched, retried
):
    conversation_id, message_id = watched.conversation_id, str(uuid4())
    chat = SimpleNamespace(kill=lambda: emulated.kill_part("chat"))
    await said(person, conversation_id, LINES[0])
    await kill_within_turn(person, chat, model, conversation_id, message_id, LINES[1], streaming=False)
    if not retried:
        reply = watched.client.document(f"conversations/{conversation_id}/messages/2-counselor")
        await until(lambda: reply.get().exists, within_s=DONE_WITHIN_S, what="a reply, found by the sweep")
    reply = await said(person, conversation_id, LINES[1], message_id)
    repeated = await said(person, conversation_id, LINES[1], message_id)
    history = await person.messages(conversation_id)
    assert (reply, reply["seq"]) == (repeated, 2)
    assert [entry["text"] for entry in history if entry["role"] == "user"] == LINES[:2]
    assert history[-1]["text"] == reply["reply"]


@pytest.mark.parametrize(("before", "work"), [(3, "supervision/"), (6, "plan_status=ready")])
async def test_the_work_that_killed_deliveries_held_is_done_after_their_restart(
    emulated, person, watched, before, work
):
    """Of which turn depends on how many were talked meanwhile: one judgement serves a whole period."""
    for number, text in enumerate(LINES, start=1):
        if number == before:
            gone = emulated.kill_part("deliveries")
        reply = await said(person, watched.conversation_id, text)
        if number > before and reply["state_snapshot"]["plan_status"] == "planning":
            break
    await restarted(emulated, "deliveries", gone)
    await watched.sees(work, within_s=DONE_WITHIN_S)
    history = await person.messages(watched.conversation_id)
    assert [entry["seq"] for entry in history] == [0, *(seq for seq in range(1, number + 1) for _ in range(2))]


@pytest.mark.parametrize(
    "case",
    [
        ("supervisor", "Judgement", 3, "supervision/"),
        ("session_manager", "SessionReview", 5, "reviews/"),
        ("planner", "PlanProposal", 6, "plan_status=ready"),
    ],
)
async def test_a_process_killed_while_the_model_thinks_does_its_work_after_its_restart(
    emulated, person, model, watched, case
):
    part, agent, due, work = case
    model.fault("hang", agent)
    for number, text in enumerate(LINES, start=1):
        await said(person, watched.conversation_id, text)
        if number >= due and model.calls().get(agent):  # earlier it is another conversation's
            break
    await until(lambda: model.calls().get(agent), what=f"a call of {agent}")
    gone = emulated.kill_part(part)
    model.heal()
    assert not watched.has(work)
    await restarted(emulated, part, gone)
    await watched.sees(work, within_s=DONE_WITHIN_S)


async def test_erasing_a_person_during_a_turn_and_with_work_queued_leaves_no_document_of_theirs(
    emulated, person, model
):
    project = emulated.parts()["project"]
    await asyncio.to_thread(emulated.control, "hold")
    ended, open_one = await person.open(), await person.open()
    await said(person, ended.id, LINES[0])
    await person.http.post(f"/api/conversations/{ended.id}/end")
    for text in LINES[:3]:
        await said(person, open_one.id, text)
    theirs = (person.uid, ended.id, open_one.id)
    before = holding(every_document(emulated.firestore, project), *theirs)
    model.pace(ttft_ms=1500)
    model.forget_calls()
    turn = asyncio.create_task(person.send(open_one.id, LINES[3]))
    await until(model.calls, what="a turn that waits for the model")
    assert not turn.done()

    erased = await person.http.delete("/api/me")
    model.pace()
    await asyncio.to_thread(emulated.control, "release")
    await asyncio.to_thread(emulated.control, "idle")
    refused = await turn

    assert erased.status_code == 204
    assert (refused.status_code, refused.json().get("code")) == (404, "not_found"), refused.text
    assert {path.split("/")[0] for path in before} == {"audit", "conversations", "mailboxes", "sessions", "users"}
    left = every_document(emulated.firestore, project)
    audit = {path: fields for path, fields in left.items() if path.startswith("audit/")}
    assert set(holding(left, *theirs)) <= set(audit), "the trail knows the conversations' random ids, and nothing else"
    assert not holding(audit, person.uid, *LINES)


async def test_every_promise_holds_after_a_few_seconds_of_chaos(emulated, model):
    record = await chaos(schedule(CHAOS_SEED, CHAOS_S), emulated, model, DONE_WITHIN_S)
    assert not record.found, report(record, CHAOS_SEED, CHAOS_S / 60)
    assert record.done["conversations opened"]


async def test_everything_ends_when_the_database_does_since_it_is_in_memory(emulated):
    """The last that the tests of this module ask of it."""
    pids = [pid for pid in emulated.parts()["pids"].values() if pid]
    emulated.kill_part("firestore")
    await until(lambda: not emulated.alive, what="an end")
    assert "the Firestore emulator ended" in emulated.stderr
    await until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()], what="the end of all parts")
