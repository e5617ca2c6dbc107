"""The rows of the fault table: a fault of a server, of its model or of the platform, and what a client sees."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

import httpx

from shared.adapters.firestore.database import FirestoreDocumentDatabase
from shared.ports.document_writes import Put
from tests.chaos.instances import TOKEN_MS, TTFT_MS, ChatInstance, Emulators, chat_instance
from tests.chaos.measured import Measured
from tests.chaos.turns import ask, held, listen, measure, refusal, until_replied
from tests.load.figures import percentile
from tests.support.chat_client import OPENING, Person, message, signed_in
from tests.support.emulated import Emulated
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.listing import every_document, holding
from tests.support.moments import calls_begun, speak_slowly
from tests.support.simulator import Simulator
from tests.support.stored import stored

CHATTER = (
    "음, 어디서부터 말해야 할지 잘 모르겠어요.",
    "그냥 요즘 하루가 참 길게 느껴져요.",
    "창밖을 보면 다들 바쁘게 걸어가더라고요.",
    "저녁에는 불을 끄고 가만히 누워 있을 때가 많아요.",
    "주말에도 딱히 하고 싶은 일이 떠오르지 않아요.",
)
"""None of these lines completes a task; every turn calls the same agents."""
CRISIS = "이제 다 끝내고 죽고 싶어요."
BLANK = "blank"
"""Not a fault of the simulator's: it is scripted to answer with white space."""
ANALYSERS = ("Reading",)
SLOW_MODEL_MS, SLOW_TOKEN_MS = 1500, 60
LATE_S, BEGUN_S = 0.8, 1.2
"""After the Counselor was called: it speaks, and has not come to its end."""
OUTAGE_S, GOOD_WITHIN_S = 150.0, 30.0
"""As long as a task is tried before it is given up, and how soon it is to be made good after the outage."""
STALLED_S = 20.0
WORK_WITHIN_S = 30.0
ERASED_WITHIN_S = 120.0
"""The sweep takes up what has stood for a minute."""
MANY_MESSAGES = 520
"""More than one Firestore commit takes."""
CROWD, CONVERSATIONS, TURNS, OPENINGS, EXPORTS = 200, 30, 4, 20, 60


@dataclass
class OwnServer:
    """A server with its own model, and a signed-in user."""

    server: ForkedServer
    simulator: Simulator
    person: Person


@asynccontextmanager
async def own_server(folder: Path) -> AsyncIterator[OwnServer]:
    """Start a simulator and a server, and end them with the block."""
    simulator = ForkedSimulator(folder, ttft_ms=TTFT_MS, token_ms=TOKEN_MS)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, simulator.end)
        await asyncio.to_thread(simulator.start)
        server = ForkedServer(folder, simulator)
        stack.push_async_callback(asyncio.to_thread, server.end)
        await server.start_aside()
        yield OwnServer(server, simulator, await stack.enter_async_context(signed_in(server.address)))


# The model fails, with one server and one simulator for each fault.


@dataclass(frozen=True)
class ModelFault:
    """A fault of the model at some agents; `main_model_only` spares the model that stands in for the Counselor's."""

    name: str
    fault: str = ""
    agents: tuple[str, ...] = ("Counselor",)
    main_model_only: bool = False


MODEL_FAULTS = (
    ModelFault("none", agents=()),
    ModelFault("Counselor empty", "empty"),
    ModelFault("Counselor blank", BLANK),
    ModelFault("Counselor blocked (prompt)", "blocked_prompt"),
    ModelFault("Counselor blocked (finish SAFETY)", "blocked_answer"),
    ModelFault("Counselor hangs", "hang"),
    ModelFault("Counselor's model empty", "empty", main_model_only=True),
    ModelFault("Counselor's model hangs", "hang", main_model_only=True),
    ModelFault("Counselor's model not found", "model_gone", main_model_only=True),
    ModelFault("analysers empty", "empty", ANALYSERS),
    ModelFault("analysers blocked", "blocked_prompt", ANALYSERS),
    ModelFault("every model hangs", "hang", ("*",)),
    ModelFault("every model 503", "unavailable", ("*",)),
    ModelFault("every model 429 with RetryInfo", "rate_limit", ("*",)),
    ModelFault("every model not found", "model_gone", ("*",)),
)


async def measure_model_fault(fault: ModelFault, folder: Path) -> list[Measured]:
    """Talk five turns under the fault; report the first, the fifth, and a crisis message after them."""
    async with own_server(folder) as at:
        await listen(at.person, (await at.person.open()).id, CHATTER[0])  # loads what only a first turn waits for
        first = next(call["model"] for call in at.simulator.recent_calls() if call["agent"] == "Counselor")
        for agent in fault.agents:
            if fault.fault == BLANK:
                at.simulator.script({agent: ["  \n "] * 100})
            else:
                at.simulator.fault(fault.fault, agent, **({"model": first} if fault.main_model_only else {}))
        conversation, danger = await at.person.open(), await at.person.open()
        turn = partial(measure, fault.name, at.person, at.simulator)
        found = [await turn(str(n), conversation.id, text) for n, text in enumerate(CHATTER, start=1)]
        return [found[0], found[-1], await turn("crisis message", danger.id, CRISIS)]


# The model of the background work is out for minutes, and then answers again.


async def measure_outage(folder: Path) -> list[Measured]:
    """Let summaries and closings meet 503 for minutes; then heal, talk on, and see whether they are made good."""
    async with own_server(folder) as at:

        async def closing() -> dict[str, object] | None:
            found: dict[str, object] = (await at.person.http.get(f"/api/conversations/{ended.id}")).json()
            return found.get("closing")  # type: ignore[return-value]

        async def given_up() -> bool:
            async with stored(at.server.database) as store:
                return (await store.session(talked.id)).watermarks.summarized > 0 and await closing() is not None

        async def summarized() -> bool:
            """Return whether the model has written a summary; one made by rule does not count."""
            calls = at.simulator.recent_calls()
            return any(call["agent"] == "Summary" and call["outcome"] == "answered" for call in calls)

        async def closed() -> bool:
            return not (await closing() or {"made_by_rule": True})["made_by_rule"]

        talked, ended = await at.person.open(), await at.person.open()
        at.simulator.fault("unavailable", "Summary")
        at.simulator.fault("unavailable", "ClosingWork")
        for text in CHATTER[:2]:
            await listen(at.person, ended.id, text)
        await at.person.http.post(f"/api/conversations/{ended.id}/end")
        for text in (*CHATTER, CHATTER[0]):  # six: a summary is due
            await listen(at.person, talked.id, text)
        how = "given up" if await _comes_about(OUTAGE_S, given_up) else "kept due"
        at.simulator.heal()
        for text in CHATTER[:3]:  # each looks for what is due
            await listen(at.person, talked.id, text)
        good = await asyncio.gather(_comes_about(GOOD_WITHIN_S, summarized), _comes_about(GOOD_WITHIN_S, closed))
        async with stored(at.server.database) as store:
            due = [(await store.session(one.id)).due_since is not None for one in (talked, ended)]
    kinds = ("summary", "6", "unread turns stay in the prompt"), ("closing", "end", "stands in")
    rows = []
    for (kind, turn, meanwhile), is_good, is_due in zip(kinds, good, due, strict=True):
        kept = f"{meanwhile}; due at the sweep" if is_due else "forgotten"
        after = "made good once the model answered" if is_good else kept
        rows.append(Measured(f"model 503 for minutes: {kind}", turn, None, None, None, how, after))
    return rows


async def _comes_about(within_s: float, look: Callable[[], Awaitable[bool]]) -> bool:
    began = time.monotonic()
    while time.monotonic() - began < within_s:
        if await look():
            return True
        await asyncio.sleep(0.5)
    return False


# An instance is asked to end, or is killed, in the middle of a turn.


@dataclass(frozen=True)
class Leaving:
    """How an instance leaves: `late` is after the first words of the reply, else while the analysers think."""

    number: signal.Signals
    streaming: bool
    late: bool

    @property
    def name(self) -> str:
        return f"{self.number.name} {'late' if self.late else 'early'} in a turn, {'SSE' if self.streaming else 'JSON'}"


LEAVINGS = (
    *(Leaving(signal.SIGTERM, streaming, late) for streaming in (True, False) for late in (False, True)),
    Leaving(signal.SIGKILL, streaming=True, late=True),
)


async def measure_leaving(how: Leaving, emulators: Emulators, folder: Path) -> list[Measured]:
    """Signal the instance within a turn; what it does not answer is asked of another one."""
    emulated = emulators.emulated
    async with (
        chat_instance(emulated, folder, how.name.replace(" ", "-")) as (instance, simulator),
        signed_in(emulated.address, api=instance.address) as person,
        signed_in(emulated.address, person.uid, api=emulated.chat) as elsewhere,
    ):
        conversation, another = await person.open(), await person.open()
        await listen(person, conversation.id, CHATTER[0])
        simulator.forget_calls()
        if how.late:
            speak_slowly(simulator, SLOW_TOKEN_MS)
        else:
            simulator.pace(ttft_ms=SLOW_MODEL_MS)
        message_id, began = str(uuid4()), time.monotonic()
        take = listen if how.streaming else ask
        turn = asyncio.create_task(take(person, conversation.id, CHATTER[1], message_id))
        if how.late:
            await calls_begun(simulator, "Counselor")
            await asyncio.sleep(LATE_S)
        else:
            await calls_begun(simulator)
        instance.send_signal(how.number)
        new_message = "" if how.number is signal.SIGKILL else await _new_message(person, another.id)
        heard = await turn
        simulator.heal()
        simulator.pace()
        outcome, total = heard.outcome, heard.total_s
        if not heard.replied:
            answered = await until_replied(elsewhere, conversation.id, CHATTER[1], message_id)
            outcome += f"; another instance: {answered.outcome} after {answered.total_s:.0f} s"
            total = time.monotonic() - began
        kept, called = await held(elsewhere, conversation.id, message_id), simulator.turn_calls()
    return [Measured(how.name, "2", heard.first_word_s, total, called, f"{outcome}{new_message}", kept)]


async def _new_message(person: Person, conversation_id: str) -> str:
    """Send a new message to a leaving instance, and return the outcome in words."""
    await asyncio.sleep(0.2)
    try:
        path = f"/api/conversations/{conversation_id}/chat"
        answer = await person.http.post(path, json=message(CHATTER[2]), timeout=5)
    except httpx.TransportError as error:
        return f"; a new message: {type(error).__name__}"
    return f"; a new message: {refusal(answer)}"


# The store stalls, the queue does not answer, an erasure is killed.


@contextmanager
def stopped(emulated: Emulated, part: str) -> Iterator[None]:
    """Stop a part with SIGSTOP, and continue it at the end of the block."""
    pid = emulated.pid_of(part)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def measure_stalled_store(emulators: Emulators, folder: Path) -> list[Measured]:
    """Stop the database while the reply is spoken, so that its commit meets nothing; go on after `STALLED_S`."""
    name, emulated = "store stalled at the commit", emulators.emulated
    async with (
        chat_instance(emulated, folder, "stalled-store") as (instance, simulator),
        signed_in(emulated.address, api=instance.address) as person,
    ):
        conversation, danger = await person.open(), await person.open()
        await listen(person, conversation.id, CHATTER[0])
        simulator.forget_calls()
        speak_slowly(simulator, SLOW_TOKEN_MS)
        message_id = str(uuid4())
        turn = asyncio.create_task(listen(person, conversation.id, CHATTER[1], message_id))
        await calls_begun(simulator, "Counselor")
        await asyncio.sleep(BEGUN_S)
        with stopped(emulated, "firestore"):
            crisis = asyncio.create_task(listen(person, danger.id, CRISIS))
            await asyncio.wait([turn, crisis], timeout=STALLED_S)
        heard, alarmed = await turn, await crisis
        simulator.heal()
        first = simulator.calls().get("Counselor", 0)
        again = await until_replied(person, conversation.id, CHATTER[1], message_id)
        rewritten = simulator.calls().get("Counselor", 0) > first
        retry = "written anew" if rewritten else "the reply that was shown"
        outcome = heard.outcome if heard.replied else f"shown whole, then {heard.outcome}; retry: {retry}"
        kept = await held(person, conversation.id, message_id), await held(person, danger.id, alarmed.message_id)
        total, called = heard.total_s + again.total_s, simulator.turn_calls()
    seconds = alarmed.total_s if alarmed.replied else None
    return [
        Measured(name, "2", heard.first_word_s, total, called, outcome, kept[0]),
        Measured(name, "crisis message", alarmed.first_word_s, seconds, 0, alarmed.outcome, kept[1]),
    ]


async def measure_unresponsive_queue(emulators: Emulators, folder: Path) -> list[Measured]:
    """Stop the task queue; the third turn makes background work due, which is to be done once the queue runs."""
    name, emulated = "task queue unresponsive", emulators.emulated

    async def judged() -> bool:
        return "Judgement" in emulators.simulator.calls()

    async with (
        chat_instance(emulated, folder, "unresponsive-queue") as (instance, simulator),
        signed_in(emulated.address, api=instance.address) as person,
    ):
        conversation, danger = await person.open(), await person.open()
        for text in CHATTER[:2]:
            await listen(person, conversation.id, text)
        simulator.forget_calls()
        emulators.simulator.forget_calls()
        with stopped(emulated, "deliveries"):
            heard = await listen(person, conversation.id, CHATTER[2])
            called = simulator.turn_calls()
            alarmed = await listen(person, danger.id, CRISIS)
        done, late = "background work done once the queue ran", f"no background work within {WORK_WITHIN_S:.0f} s"
        work = done if await _comes_about(WORK_WITHIN_S, judged) else late
        kept = f"{await held(person, conversation.id, heard.message_id)}; {work}"
        alarm_kept = await held(person, danger.id, alarmed.message_id)
    return [
        Measured(name, "3", heard.first_word_s, heard.total_s, called, heard.outcome, kept),
        Measured(name, "crisis message", alarmed.first_word_s, alarmed.total_s, 0, alarmed.outcome, alarm_kept),
    ]


async def measure_killed_erasure(emulators: Emulators, folder: Path) -> list[Measured]:
    """SIGKILL the instance as soon as an erasure has begun to delete; no client asks for it again."""
    emulated = emulators.emulated
    project = emulated.parts()["project"]

    def left() -> int:
        documents = every_document(emulated.firestore, project)
        return sum(not path.startswith("audit/") for path in holding(documents, conversation.id))

    async def gone() -> bool:
        return not left()

    async with (
        chat_instance(emulated, folder, "killed-erasure") as (instance, _),
        signed_in(emulated.address, api=instance.address) as person,
        signed_in(emulated.address, person.uid, api=emulated.chat) as elsewhere,
    ):
        conversation = await person.open()
        await listen(person, conversation.id, CHATTER[0])
        began = time.monotonic()
        await _fill(emulated, project, conversation.id)
        answer = await _kill_while_erasing(left, person, instance, f"/api/conversations/{conversation.id}")
        seen = await _seen(elsewhere, conversation.id)
        await _comes_about(ERASED_WITHIN_S, gone)
        remaining, seconds = left(), time.monotonic() - began
    kept = f"{remaining} documents left after {seconds:.0f} s" if remaining else "nothing"
    name, outcome = "SIGKILL in the middle of an erasure", f"DELETE: {answer}; {seen}"
    return [Measured(name, "DELETE", None, None if remaining else seconds, None, outcome, kept)]


async def _fill(emulated: Emulated, project: str, conversation_id: str) -> None:
    """Write as many messages as a long conversation has, straight into the emulator."""
    database = FirestoreDocumentDatabase.connect(project, emulator=emulated.firestore)
    path, half = f"conversations/{conversation_id}/messages", MANY_MESSAGES // 2
    for first in (0, half):
        await database.commit([Put(f"{path}/{100 + n}-filled", {"text": "말"}) for n in range(first, first + half)])
    await database.aclose()


async def _kill_while_erasing(left: Callable[[], int], person: Person, instance: ChatInstance, path: str) -> str:
    """Let the instance run for a few milliseconds at a time until some documents are gone, and kill it then."""
    before = left()
    erasing = asyncio.create_task(person.http.delete(path))
    while not erasing.done():
        await asyncio.sleep(0.02)
        instance.send_signal(signal.SIGSTOP)
        if left() < before:
            break
        instance.send_signal(signal.SIGCONT)
    instance.send_signal(signal.SIGKILL)
    try:
        return str((await erasing).status_code)
    except httpx.TransportError as error:
        return type(error).__name__


async def _seen(person: Person, conversation_id: str) -> str:
    """Return in words what the API shows the owner of the conversation."""
    listed = (await person.http.get("/api/conversations")).json()["conversations"]
    shown = "listed" if any(one["conversation_id"] == conversation_id for one in listed) else "not listed"
    read = await person.http.get(f"/api/conversations/{conversation_id}/messages")
    chat = await listen(person, conversation_id, CHATTER[1])
    return f"then {shown}, history {read.status_code}, chat {chat.outcome}"


# Too much at once, of many users or of one.


async def measure_crowd(folder: Path) -> list[Measured]:
    """Let 200 users send their first message at once."""
    async with own_server(folder) as at, AsyncExitStack() as stack:
        people = [await stack.enter_async_context(signed_in(at.server.address)) for _ in range(CROWD)]
        talks = [(person, (await person.open()).id) for person in people]
        await listen(*talks[0], CHATTER[1])
        at.simulator.forget_calls()
        heard = await asyncio.gather(*(listen(person, talk, CHATTER[0]) for person, talk in talks))
        called = at.simulator.turn_calls()
    words = [one.first_word_s for one in heard if one.first_word_s is not None]
    totals = [one.total_s for one in heard if one.replied]
    outcome = counted(one.outcome for one in heard)
    rows = []
    for percent in (50, 95):
        first, total = (percentile(values, percent) if values else None for values in (words, totals))
        rows.append(Measured(f"{CROWD} turns at once, p{percent}", "1", first, total, called, outcome, "–"))
    return rows


async def measure_one_user(emulators: Emulators, folder: Path) -> list[Measured]:
    """Let one user open, talk and export without pause, under the deployed limits."""
    emulated = emulators.emulated
    async with (
        chat_instance(emulated, folder, "one-user") as (instance, simulator),
        signed_in(emulated.address, api=instance.address) as opener,
        signed_in(emulated.address, api=instance.address) as talker,
    ):
        opening = [opener.http.post("/api/conversations", json=OPENING) for _ in range(OPENINGS)]
        rows = [await _requests(f"{OPENINGS} conversations opened at once by one user", "POST", opening)]
        talks: list[str] = []
        while len(talks) < CONVERSATIONS:  # as many as one user gets in an hour
            answer = await talker.http.post("/api/conversations", json=OPENING)
            if answer.status_code == 429:
                break
            if answer.status_code == 201:
                talks.append(answer.json()["conversation_id"])
        simulator.forget_calls()
        began = time.monotonic()

        async def talk(conversation_id: str) -> list[str]:
            return [(await ask(talker, conversation_id, text)).outcome for text in CHATTER[:TURNS]]

        spoken = await asyncio.gather(*map(talk, talks))
        seconds, called = time.monotonic() - began, simulator.turn_calls()
        name = f"{len(talks)} conversations of one user, {TURNS} turns each"
        outcome = counted(outcome for talk in spoken for outcome in talk)
        rows.append(Measured(name, "all", None, seconds, called, outcome, "–"))
        alarmed = await listen(talker, talks[0], CRISIS)
        crisis = alarmed.first_word_s, alarmed.total_s, 0, alarmed.outcome
        rows.append(Measured(name, "crisis message", *crisis, "–"))
        exports = [talker.http.get("/api/me/export") for _ in range(EXPORTS)]
        rows.append(await _requests(f"{EXPORTS} exports of one user at once", "GET", exports))
    return rows


async def _requests(name: str, method: str, requests: Iterable[Awaitable[httpx.Response]]) -> Measured:
    began = time.monotonic()
    answers = await asyncio.gather(*requests)
    return Measured(name, method, None, time.monotonic() - began, None, counted(map(refusal, answers)), "–")


def counted(outcomes: Iterable[str]) -> str:
    """Say how often each outcome came, the most frequent first."""
    return ", ".join(f"{count} × {outcome}" for outcome, count in Counter(outcomes).most_common())
