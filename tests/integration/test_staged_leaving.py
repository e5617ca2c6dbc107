"""SIGTERM at the staged `chat` under its real server, gunicorn with a uvicorn worker, over the Firestore emulator."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from infra.staging.folder import stage
from local.emulators.firestore import FirestoreEmulator
from tests.support.chat_client import Event, Person, signed_as
from tests.support.emulators import new_project
from tests.support.polling import until
from tests.support.process import ROOT
from tests.support.simulator import Simulator
from tests.support.staged import StagedFunction

pytestmark = pytest.mark.emulator

NOBODY = "127.0.0.1:9"
PLATFORM_GRACE_S = 10.0
"""Between SIGTERM and SIGKILL on Cloud Run."""
GRACE_S = 3.0
"""For turns under way, here; less than the product's, so that the test is short."""
IN_TIME = {"ttft_ms": 100, "token_ms": 2}
SLOW_REPLY_MS = 30
"""A token: the reply takes about a second."""


@pytest.fixture(scope="module")
def instances(
    firestore_emulator: FirestoreEmulator, simulator: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[StagedFunction, StagedFunction]]:
    """Two instances of chat over one database; the tests' own libraries do, `test_staged_functions` holds the lock."""
    project, home = new_project(), tmp_path_factory.mktemp("leaving")
    folder = stage(ROOT, "chat", home)
    variables = {
        "CBOT_PROJECT": project,
        "CBOT_UNSIGNED_TOKENS": "1",
        "CBOT_TASKS_LOCATION": "asia-northeast3",
        "CBOT_TASKS_SERVICE_ACCOUNT": "tasks@demo.iam.gserviceaccount.com",
        **{f"CBOT_{name}_URL": f"http://{NOBODY}/" for name in ("ANSWER", "SUPERVISOR", "PLANNER", "SESSION_MANAGER")},
        "CBOT_INVOKERS": "tasks@demo.iam.gserviceaccount.com",
        "CBOT_AUDIENCES": "https://functions.example",
        "GEMINI_API_KEY": "test",
        "GOOGLE_GEMINI_BASE_URL": simulator.address,
        "FIRESTORE_EMULATOR_HOST": firestore_emulator.address,
        "CLOUD_TASKS_EMULATOR_HOST": NOBODY,
        "CBOT_LOG_FORMAT": "json",
        "CBOT_SHUTDOWN_GRACE_SECONDS": str(GRACE_S),
    }
    with ExitStack() as stack, ThreadPoolExecutor(2) as pool:
        started = [StagedFunction(Path(sys.prefix), folder, "chat", variables, log=f"{n}.log") for n in (1, 2)]
        for function in started:
            stack.callback(function.end)
        assert all(pool.map(lambda function: function.launch().ready(), started)), started[0].said[-4000:]
        yield started[0], started[1]


@pytest.fixture
async def people(instances: tuple[StagedFunction, StagedFunction]) -> AsyncIterator[tuple[Person, Person]]:
    """One person, at the instance that leaves and at the one that stays."""
    async with AsyncExitStack() as stack:
        uid = f"person-{uuid4().hex[:12]}"
        project = instances[0].variable("CBOT_PROJECT")
        here, there = [
            await stack.enter_async_context(signed_as(uid, project, function.address)) for function in instances
        ]
        yield here, there


async def heard(person: Person, conversation: str, message: str, begun: asyncio.Event | None = None) -> list[Event]:
    """Send a message and return all events; `begun` is set when the reply begins."""
    events = []
    async with person.stream(conversation, "요즘 잠을 잘 못 자요.", message) as stream:
        async for event in stream:
            events.append(event)
            if event.name == "token" and begun is not None:
                begun.set()
    return events


async def test_a_leaving_instance_ends_its_turns_refuses_new_ones_and_leaves_no_lease_behind(
    instances: tuple[StagedFunction, StagedFunction], people: tuple[Person, Person], model: Simulator
) -> None:
    leaving, _ = instances
    here, there = people
    late, early, whole, stuck, stuck_whole, fresh, danger = [(await here.open()).id for _ in range(7)]
    ids = {name: str(uuid4()) for name in (late, early, whole, stuck, stuck_whole)}
    await here.say(fresh, "안녕하세요.")  # warm: the first turn loads what turns need
    model.forget_calls()
    model.fault("hang")
    slow_stream = asyncio.create_task(heard(here, stuck, ids[stuck]))
    slow_answer = asyncio.create_task(here.send(stuck_whole, "회사 일이 힘들어요.", ids[stuck_whole]))
    await until(lambda: sum(model.calls().values()) >= 4, what="calls of the turns that will not end")
    begun = asyncio.Event()
    model.heal()
    model.pace(**IN_TIME)
    model.fault("drip_stream", agent="counselor", delay_ms=SLOW_REPLY_MS)
    late_stream = asyncio.create_task(heard(here, late, ids[late], begun))
    await asyncio.wait_for(begun.wait(), 30)
    before = sum(model.calls().values())
    early_stream = asyncio.create_task(heard(here, early, ids[early]))
    early_answer = asyncio.create_task(here.send(whole, "발표가 걱정돼요.", ids[whole]))
    await until(lambda: sum(model.calls().values()) >= before + 2, what="calls of the early turns")

    asked = time.monotonic()
    leaving.terminate()
    refused = None
    for _ in range(20):
        refused = await here.send(fresh, "새 글이에요.")
        if refused.status_code == 503:
            break
    in_danger = await here.send(danger, "오늘 밤에 죽으려고 약을 모아 뒀어요.")
    ended = [await asyncio.wait_for(task, 30) for task in (late_stream, early_stream)]
    answer = await asyncio.wait_for(early_answer, 30)
    stuck_events, stuck_answer = await asyncio.wait_for(asyncio.gather(slow_stream, slow_answer), 30)
    code = leaving.wait()
    took = time.monotonic() - asked

    assert refused is not None
    assert refused.status_code == 503
    assert (refused.json()["code"], int(refused.headers["Retry-After"])) == ("shutting_down", 1)
    assert in_danger.status_code == 200
    assert "109" in in_danger.text
    assert [events[-1].name for events in ended] == ["done", "done"]
    assert answer.status_code == 200, answer.text
    assert (stuck_events[-1].name, stuck_events[-1].data["retryable"]) == ("error", True)
    assert (stuck_answer.status_code, stuck_answer.json()["code"]) == (503, "shutting_down")
    assert (code, took < GRACE_S + 1.5) == (0, True), took

    model.reset()
    again = time.monotonic()
    replies = await asyncio.gather(
        there.say(stuck, "요즘 잠을 잘 못 자요.", ids[stuck]),
        there.say(stuck_whole, "회사 일이 힘들어요.", ids[stuck_whole]),
    )
    waited = time.monotonic() - again
    assert all(reply["reply"] for reply in replies)
    assert waited < 5, f"a lease was left: the retry waited {waited:.1f} s"
    told = {line.get("event") for line in leaving.lines}
    assert "lease_left" not in told
