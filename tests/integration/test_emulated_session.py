"""A first session on the emulators, read through Firestore's client; reordered deliveries; the end of all parts."""

import asyncio
import re
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.builders.first_session import BETWEEN, PART_1, PART_2
from tests.support.chat_client import signed_in
from tests.support.emulated import Emulated
from tests.support.polling import until
from tests.support.watching import firestore_client, watching

pytestmark = pytest.mark.emulator

STORY = (*PART_1, BETWEEN, *PART_2)
BACKGROUND = ("supervisor", "planner", "session_manager")
NO_SWEEP = {"CBOT_SWEEP_SECONDS": "3600"}
OF_THIS_RUN = {"at", "conversation_id", "user_id", "message_id", "budget", "state_version", "trace"}


@pytest.fixture(scope="module")
def emulated(tmp_path_factory):
    """All parts, as `make run-emulators` runs them; no sweep runs."""
    with Emulated(tmp_path_factory.mktemp("emulated"), **NO_SWEEP) as running:
        yield running


@pytest.fixture(scope="module")
def reordered(tmp_path_factory):
    """The same, with deliveries in copies and in reverse order, as Google's may be."""
    thrice_in_reverse = {"CBOT_DELIVERY_COPIES": "3", "CBOT_DELIVERY_NEWEST_FIRST": "1"}
    with Emulated(tmp_path_factory.mktemp("reordered"), **NO_SWEEP, **thrice_in_reverse) as running:
        yield running


@pytest.fixture
async def person(emulated):
    """A user who signed in at the page and talks to the chat function."""
    async with signed_in(emulated.address, api=emulated.chat) as signed:
        yield signed


async def talk_into_part_2(person, watched):
    """Say what Part 1 asks for, and wait for the background work in between: a person types for longer."""
    for line in (*PART_1, *[BETWEEN] * 9):
        reply = await person.say(watched.conversation_id, line.client)
        if reply["seq"] == 3:
            await watched.sees("supervision/3")
        if reply["state_snapshot"]["plan_status"] == "planning":
            await watched.sees("plan_status=ready")
        if watched.session.get("current_part") == 2:
            return
    raise AssertionError(f"no Part 2: {watched.timeline}")


async def test_a_first_session_goes_from_the_greeting_into_part_2(emulated, person):
    with ExitStack() as stack:
        client = stack.enter_context(firestore_client(emulated.firestore, emulated.parts()["project"]))
        conversation = await person.open()
        assert "AI" in conversation.greeting
        watched = stack.enter_context(watching(client, conversation.id))
        await watched.sees("current_part=1")
        await talk_into_part_2(person, watched)
        for line in PART_2:
            await person.say(conversation.id, line.client)
        await watched.sees("reviews/5")

    came = ("current_part=1", "part_transitions/1-2", "plan_status=ready")
    places = [watched.timeline.index(one) for one in came]
    assert places == sorted(places), "the transition's document, then by its trigger the plan"
    planned = [task for task in watched.session["tasks"] if task["part"] == 2]
    assert 3 <= len(planned) <= 6
    assert watched.session["current_task"] in {task["id"] for task in planned}
    assert watched.documents["supervision/3"]["total"] >= 1
    assert watched.documents["supervision/3"]["seq"] == 3


async def test_firestore_holds_the_same_turns_as_the_history(emulated, person):
    with firestore_client(emulated.firestore, emulated.parts()["project"]) as client:
        conversation = await person.open()
        for line in PART_1[:2]:
            await person.say(conversation.id, line.client)
        messages = client.collection(f"conversations/{conversation.id}/messages").order_by("position").stream()
        stored = [document.to_dict() for document in messages]
    history = await person.messages(conversation.id)
    in_both = ("seq", "role", "text")
    shown, kept = ([[entry[name] for name in in_both] for entry in entries] for entries in (history, stored))
    assert shown == kept


async def test_the_page_finds_the_chat_function_and_only_the_platform_may_call_the_others(emulated, person):
    told = (await person.http.get(f"{emulated.address}/local/info")).json()
    asked = {"Origin": emulated.address, "Access-Control-Request-Method": "POST"}
    preflight = await person.http.options(f"{told['api']}/api/conversations", headers=asked)
    assert told["api"] == emulated.chat
    assert preflight.headers["access-control-allow-origin"] == emulated.address

    functions = emulated.parts()["functions"]
    for target in ("supervisor/supervise", "planner/plan", "planner/on_part_transition", "session_manager/sweep"):
        function, _, entry = target.partition("/")
        for headers in ({}, {"Authorization": ""}):
            refused = await person.http.post(f"{functions[function]}/{entry}", json={}, headers=headers)
            assert refused.status_code == 401, target


@pytest.mark.long
async def test_jobs_delivered_three_times_in_reverse_order_lead_to_the_same_state(emulated, reordered):
    orderly, jobs = await story_on(emulated)
    reverse, jobs_in_reverse = await story_on(reordered)
    assert jobs
    assert set(jobs_in_reverse) == set(jobs)
    assert all(jobs_in_reverse.count(job) >= 3 for job in jobs), "all came three times"
    assert reverse == orderly


async def story_on(running):
    """Talk, and hold the deliveries: first of the first six messages, then of the others.

    Returns:
        The stored documents, and the jobs that the background functions received.
    """
    with firestore_client(running.firestore, running.parts()["project"]) as client:
        async with signed_in(running.address, api=running.chat) as person:
            conversation = await person.open()
            for some in (STORY[:6], STORY[6:]):
                await asyncio.to_thread(running.control, "hold")
                for line in some:
                    await person.say(conversation.id, line.client)
                await asyncio.to_thread(running.control, "release")
                await asyncio.to_thread(running.control, "idle")
        job = rf"job (kind=\w+) conversation={conversation.id} ((?:seq|document)=\S+)"
        logs = [(Path(running.parts()["logs"]) / f"{function}.log").read_text("utf-8") for function in BACKGROUND]
        session = client.document(f"sessions/{conversation.id}")
        found = {"session": lasting(session.get().to_dict())}
        for collection in session.collections():
            if collection.id != "turns":
                found |= {f"{collection.id}/{one.id}": lasting(one.to_dict()) for one in collection.stream()}
        return found, [found for log in logs for found in re.findall(job, log)]


def lasting(value):
    """Leave out times, ids of this run, and the cost of model calls: copies make more calls."""
    if isinstance(value, dict):
        kept = {name for name in value if not name.endswith(("_at", "_since"))} - OF_THIS_RUN
        return {name: lasting(item) for name, item in value.items() if name in kept}
    return [lasting(item) for item in value] if isinstance(value, list) else value


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux alone does this")
async def test_sigkill_of_the_parent_ends_all_child_processes(reordered):
    """The last test of `reordered`; the next one is the last of `emulated`."""
    processes = family(reordered)
    reordered.kill()
    await all_have_ended(processes)


async def test_sigint_ends_all_child_processes_and_removes_the_logs(emulated):
    processes, logs = family(emulated), Path(emulated.parts()["logs"])
    assert len(processes) >= 8, "pages, Firestore, deliveries, simulator, four functions"
    assert emulated.stop(signal.SIGINT) == 0
    await all_have_ended(processes)
    await until(lambda: not logs.exists(), what="the end of the logs")


def family(running):
    """Return the process and all its children."""
    parent = psutil.Process(running.pid)
    return [parent, *parent.children(recursive=True)]


async def all_have_ended(processes):
    def lives(process):
        try:
            return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:  # it ended between the two questions
            return False

    await until(lambda: not any(map(lives, processes)), within_s=40, what="the end of all processes")
