"""The platform may kill a process at any time: the same on the emulators."""

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
from tests.support.moments import calls_begun, kill_within_turn
from tests.support.polling import eventually, until
from tests.support.watching import firestore_client, watching

pytestmark = pytest.mark.emulator

CHAOS_SEED, CHAOS_S = 5, 8.0
"""`make chaos` takes other seeds, and minutes."""
DONE_WITHIN_S = 120
"""Including a restart of a process, on a busy machine."""
LINES = [line.client for line in (*PART_1, BETWEEN, BETWEEN)]


@pytest.fixture(scope="module")
def emulated(simulator, tmp_path_factory):
    """All parts; a killed part is restarted, and the sweep has little patience."""
    sweep = {"CBOT_SWEEP_SECONDS": "1", "CBOT_SWEEP_GRACE_SECONDS": "2", "CBOT_SWEEP_PATIENCE_SECONDS": "2"}
    with Emulated(tmp_path_factory.mktemp("emulated"), **simulator.access, **sweep, CBOT_CLAIM_SECONDS="2") as running:
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
    """Send a message as a client does: again under the same id until a reply comes."""
    message_id = message_id or str(uuid4())

    async def answered():
        try:
            response = await person.send(conversation_id, text, message_id)
        except httpx.TransportError:
            return None
        return response.json() if response.status_code == 200 else None

    return await eventually(answered, within_s=DONE_WITHIN_S, what="a reply")


@pytest.mark.parametrize(
    "retried", [True, pytest.param(False, marks=pytest.mark.long)], ids=["the client retries", "only the sweep retries"]
)
async def test_a_turn_interrupted_by_a_kill_of_the_chat_function_is_answered_after_the_restart(
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


@pytest.mark.parametrize(
    ("before", "work"), [pytest.param(3, "supervision/", marks=pytest.mark.long), (6, "plan_status=ready")]
)
async def test_queued_work_is_done_after_the_deliveries_are_killed_and_restarted(
    emulated, person, watched, before, work
):
    """Which turn is supervised depends on the turns meanwhile: one judgement covers a whole period."""
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
        pytest.param(("supervisor", "Judgement", 3, "supervision/"), marks=pytest.mark.long),
        pytest.param(("session_manager", "SessionReview", 5, "reviews/"), marks=pytest.mark.long),
        ("planner", "PlanProposal", 6, "plan_status=ready"),
    ],
    ids=lambda case: case[0],
)
async def test_a_function_killed_during_a_model_call_does_its_work_after_the_restart(
    emulated, person, model, watched, case
):
    part, agent, due, work = case
    model.fault("hang", agent)
    for number, text in enumerate(LINES, start=1):
        await said(person, watched.conversation_id, text)
        if number >= due and model.calls().get(agent):  # earlier it is another conversation's
            break
    await calls_begun(model, agent)
    gone = emulated.kill_part(part)
    model.heal()
    assert not watched.has(work)
    await restarted(emulated, part, gone)
    await watched.sees(work, within_s=DONE_WITHIN_S)


async def test_erasing_a_user_during_a_turn_with_queued_work_leaves_only_the_audit_trail(emulated, person, model):
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
    await calls_begun(model)
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
    assert set(holding(left, *theirs)) <= set(audit), "the audit trail has the conversations' random ids alone"
    assert not holding(audit, person.uid, *LINES)


@pytest.mark.long
async def test_every_promise_holds_after_a_few_seconds_of_chaos(emulated, model):
    record = await chaos(schedule(CHAOS_SEED, CHAOS_S), emulated, model, DONE_WITHIN_S)
    assert not record.found, report(record, CHAOS_SEED, CHAOS_S / 60)
    assert record.done["conversations opened"]


async def test_all_parts_end_when_the_in_memory_database_ends(emulated):
    """The last test of the module: the emulators do not run after it."""
    pids = [pid for pid in emulated.parts()["pids"].values() if pid]
    emulated.kill_part("firestore")
    await until(lambda: not emulated.alive, what="the end of the runner")
    assert "the Firestore emulator ended" in emulated.stderr
    await until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()], what="the end of all parts")
