"""Many users at once on one instance: on one core, all at the same moment, and all opening a conversation."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from itertools import cycle, islice
from pathlib import Path

import psutil

from tests.builders.first_session import PART_1
from tests.load.chat_alone import PROJECT, ChatAlone
from tests.load.cores import cores_apart, only_on
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import OPENING, Person, signed_as, signed_in
from tests.support.local_server import LocalServer
from tests.support.process import ReadyProcess
from tests.support.simulator import Simulator

MODEL_MS = 800
TTFT_MS, TOKEN_MS = 400, 7
SEVERAL = 8
"""Tokens of each event of a stream: Gemini sends several, and an event costs the SDK the same however many it has."""
GOAL_EFFICIENCY, GOAL_TURNS_S = 0.85, 15
SignIn = Callable[[int], AbstractAsyncContextManager[Person]]
"""Signs in the user of this number."""


async def one_core(home: Path, people: int, lines: int) -> list[Figure]:
    """Measure turns a second on one core; the simulator and the clients use the others."""
    apart = cores_apart()
    server_core, other_cores = apart or (None, None)
    bound = "" if apart else "**not bound to one core**; "
    name = f"turns/s, {people} concurrent conversations of {people} users, one core"
    with only_on(other_cores), Simulator(home) as simulator:

        async def measure(server: ReadyProcess, what: str, more: str, tokens: int, goal: float | None) -> Figure:
            with ExitStack() as stack:
                with only_on(server_core):
                    stack.enter_context(server)
                rate, how = await _rate(server, simulator, people, lines, tokens)
            return Figure(f"{name}{more}", rate, "", goal, f"{bound}{what}; embedded store; {how}", at_least=True)

        alone, again, whole = (
            *(ChatAlone(home / each, simulator) for each in ("alone", "again")),
            LocalServer(home / "whole", simulator),
        )
        deployed = "the chat function alone, as deployed"
        with_all = "`python -m local`: supervisor, planner and session manager use the same core"
        several = f", {SEVERAL} tokens an event"
        return [
            await measure(alone, deployed, "", 1, GOAL_TURNS_S),
            await measure(again, deployed, several, SEVERAL, None),
            await measure(whole, with_all, ", background work included", 1, None),
        ]


async def _rate(server: ReadyProcess, simulator: Simulator, people: int, lines: int, tokens: int) -> tuple[float, str]:
    """Return the turns a second, and how they were measured."""

    def sign_in(number: int) -> AbstractAsyncContextManager[Person]:
        return signed_as(f"person-{number}", PROJECT, server.address)

    simulator.pace()
    async with _talks(sign_in, 1) as talks:
        await _all_say(talks, len(PART_1))  # warms up
    simulator.pace(ttft_ms=TTFT_MS, token_ms=TOKEN_MS, chunk_tokens=tokens)
    progress(f"throughput: {people} at once on one core, {lines} messages each")
    async with _talks(sign_in, people) as talks:
        busy = _cpu_seconds(server)
        seconds, firsts = await _all_say(talks, lines)
        busy = _cpu_seconds(server) - busy
    simulator.pace()
    how = (
        f"model at {TTFT_MS} ms, {TOKEN_MS} ms a token, {tokens} an event; {lines} messages each over SSE; "
        f"{busy * 1000 / len(firsts):.0f} ms of CPU a turn; "
        f"first word p50 {median(firsts):.1f} s, p95 {percentile(firsts, 95):.1f} s"
    )
    return len(firsts) / seconds, how


async def efficiency(home: Path, simulator: Simulator, crowds: Sequence[int], lines: int) -> list[Figure]:
    """Compare many concurrent conversations of as many users with a single one."""
    simulator.reset()
    figures = []
    with LocalServer(home, simulator, CBOT_MAX_TURNS="1000") as server:
        async with _talks(lambda _: signed_in(server.address), 1) as talks:
            await _all_say(talks, len(PART_1))  # warms up
        simulator.pace(ttft_ms=MODEL_MS)
        alone = 0.0
        for people in (1, *crowds):
            progress(f"throughput: {people} at once")
            async with _talks(lambda _: signed_in(server.address), people) as talks:
                seconds, _ = await _all_say(talks, lines)
            alone = alone or seconds
            if people > 1:
                ideal = f"ideal: each as fast as one alone, {alone / lines:.2f} s a turn"
                how = f"{people} users, {lines} messages each, {people * lines / seconds:.1f} turns/s; {ideal}"
                name = f"{people} concurrent turns, model at {MODEL_MS} ms: turns/s ÷ ideal"
                figures.append(Figure(name, alone / seconds, "", GOAL_EFFICIENCY, how, at_least=True))
    simulator.pace()
    return figures


async def openings(home: Path, simulator: Simulator, people: int) -> list[Figure]:
    """Let as many users open a conversation at the same moment; nobody tries again."""
    simulator.reset()
    with LocalServer(home, simulator) as server:
        async with _signed_in(lambda _: signed_in(server.address), people) as persons:
            progress(f"openings: {people} at once")
            await persons[0].open()
            began = time.perf_counter()
            answers = await asyncio.gather(*map(_open, persons))
            seconds = time.perf_counter() - began
    kinds = Counter(kind for kind, _ in answers)
    opened = [took for kind, took in answers if kind == "opened"]
    note = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    middle = f"; opened after p50 {median(opened):.2f} s, p95 {percentile(opened, 95):.2f} s" if opened else ""
    how = f"until the last answer, {people} signed-in users, `python -m local` with its defaults{middle}"
    refused = kinds["refused with 503 and Retry-After"]
    return [
        Figure(f"{people} conversations opened at once", seconds, " s", None, how, note=note),
        Figure(f"of {people} openings at once, refused with 503 and Retry-After", refused, "", None, "the same run"),
    ]


async def _open(person: Person) -> tuple[str, float]:
    """Return how an opening ended, and after how many seconds."""
    began = time.perf_counter()
    response = await person.http.post("/api/conversations", json=OPENING)
    took = time.perf_counter() - began
    if response.status_code == 201:
        return "opened", took
    if response.status_code == 503 and "Retry-After" in response.headers:
        return "refused with 503 and Retry-After", took
    return f"**answered {response.status_code}**", took


@asynccontextmanager
async def _signed_in(sign_in: SignIn, people: int) -> AsyncIterator[list[Person]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(sign_in(number)) for number in range(people)]


@asynccontextmanager
async def _talks(sign_in: SignIn, people: int) -> AsyncIterator[list[tuple[Person, str]]]:
    """Sign in so many users, each with a conversation."""
    async with _signed_in(sign_in, people) as persons:
        yield [(person, (await person.open()).id) for person in persons]


async def _all_say(talks: Sequence[tuple[Person, str]], lines: int) -> tuple[float, list[float]]:
    """Say the same lines in all conversations at once; return the seconds, and each turn's to the first word."""

    async def say_all(person: Person, conversation_id: str) -> list[float]:
        return [await _first_word(person, conversation_id, line.text) for line in islice(cycle(PART_1), lines)]

    began = time.perf_counter()
    firsts = await asyncio.gather(*(say_all(*talk) for talk in talks))
    return time.perf_counter() - began, [first for each in firsts for first in each]


async def _first_word(person: Person, conversation_id: str, text: str) -> float:
    """Take a turn over SSE; return the seconds to its first word."""
    began, first = time.perf_counter(), 0.0
    async with person.stream(conversation_id, text) as events:
        async for event in events:
            if event.name == "token" and not first:
                first = time.perf_counter() - began
    assert event.name == "done", f"the turn ended with {event.name}: {event.data}"
    return first


def _cpu_seconds(server: ReadyProcess) -> float:
    times = psutil.Process(server.pid).cpu_times()
    return float(times.user + times.system)
