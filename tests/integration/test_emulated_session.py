"""A first session on the real parts, from hello into Part 2, watched through Firestore's own client."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.chat_client import Person, signed_in
from tests.support.emulated import Emulated
from tests.support.first_session import BETWEEN, PART_1, PART_2
from tests.support.polling import until
from tests.support.watching import Watched, firestore_client, watching

pytestmark = pytest.mark.emulator

MORE_TURNS = 8


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    """All of it, as `make run-emulators` runs it."""
    with Emulated(tmp_path_factory.mktemp("emulated")) as running:
        yield running


@pytest.fixture
async def person(emulated: Emulated) -> AsyncIterator[Person]:
    """Somebody who signed in at the page and talks to the chat function."""
    async with signed_in(emulated.address, api=emulated.chat) as signed:
        yield signed


async def talk_into_part_2(person: Person, watched: Watched) -> None:
    """Say what Part 1 asks for, at a pace that lets the work behind it be done: a person types for longer."""
    for line in (*PART_1, BETWEEN, *[BETWEEN] * MORE_TURNS):
        reply = await person.say(watched.conversation_id, line.text)
        if reply["seq"] == 3:
            await watched.sees("supervision/3")
        if reply["state_snapshot"]["plan_status"] == "planning":
            await watched.sees("plan_status=ready")
        if watched.session.get("current_part") == 2:
            return
    raise AssertionError(f"no Part 2: {watched.timeline}")


async def test_a_first_session_goes_from_the_greeting_into_part_2(emulated: Emulated, person: Person) -> None:
    with ExitStack() as stack:
        client = stack.enter_context(firestore_client(emulated.firestore, emulated.parts()["project"]))
        conversation = await person.open()
        assert "AI" in conversation.greeting
        watched = stack.enter_context(watching(client, conversation.id))
        await watched.sees("current_part=1")

        await talk_into_part_2(person, watched)
        for line in PART_2:
            await person.say(conversation.id, line.text)
        await watched.sees("reviews/5")

    came = ("current_part=1", "part_transitions/1-2", "plan_status=ready")
    assert watched.order_of(*came) == list(came), "the transition's document, then by its trigger the plan"
    planned = [task for task in watched.session["tasks"] if task["part"] == 2]
    assert 3 <= len(planned) <= 6
    assert watched.session["current_task"] in {task["id"] for task in planned}
    assert watched.documents["supervision/3"]["total"] >= 1
    assert watched.documents["supervision/3"]["seq"] == 3


async def test_the_same_turns_are_in_firestore_as_in_the_history(emulated: Emulated, person: Person) -> None:
    with firestore_client(emulated.firestore, emulated.parts()["project"]) as client:
        conversation = await person.open()
        for line in PART_1[:2]:
            await person.say(conversation.id, line.text)
        stored = [
            document.to_dict()
            for document in client.collection(f"conversations/{conversation.id}/messages").order_by("position").stream()
        ]

    history = await person.messages(conversation.id)
    assert [(entry["seq"], entry["role"], entry["text"]) for entry in stored] == [
        (entry["seq"], entry["role"], entry["text"]) for entry in history
    ]


async def test_the_page_finds_the_chat_function_at_its_own_address(emulated: Emulated, person: Person) -> None:
    told = (await person.http.get(f"{emulated.address}/local/info")).json()
    preflight = await person.http.options(
        f"{told['api']}/api/conversations",
        headers={"Origin": emulated.address, "Access-Control-Request-Method": "POST"},
    )

    assert told["api"] == emulated.chat
    assert preflight.headers["access-control-allow-origin"] == emulated.address


@pytest.mark.parametrize(
    "target", ["supervisor/supervise", "planner/plan", "planner/on_part_transition", "session_manager/sweep"]
)
async def test_nobody_but_the_platform_calls_a_background_function(
    emulated: Emulated, person: Person, target: str
) -> None:
    function, _, entry = target.partition("/")
    address = f"{emulated.parts()['functions'][function]}/{entry}"

    assert (await person.http.post(address, json={})).status_code == 401
    del person.http.headers["Authorization"]
    assert (await person.http.post(address, json={})).status_code == 401


async def test_the_scheduler_sweeps(emulated: Emulated, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Emulated(tmp_path_factory.mktemp("sweeping"), CBOT_SWEEP_SECONDS="0.2", CBOT_LOG_LEVEL="INFO") as running:
        log = Path(running.parts()["logs"]) / "session_manager.log"
        await until(lambda: "handed_over=0" in log.read_text("utf-8"), what="a sweep")
