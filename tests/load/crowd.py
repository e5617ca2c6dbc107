"""Many users at once on one instance: on one core, and as many times one user alone."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from itertools import cycle, islice
from pathlib import Path

import psutil

from tests.builders.first_session import PART_1
from tests.load.chat_alone import PROJECT, ChatAlone
from tests.load.cores import cores_apart, only_on
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import Person, signed_as, signed_in
from tests.support.local_server import LocalServer
from tests.support.process import ReadyProcess
from tests.support.simulator import Simulator

MODEL_MS = 800
TTFT_MS, TOKEN_MS = 400, 7
SEVERAL, MANY = 8, 25
"""Tokens of each event of a stream, as in recordings of Gemini (docs/performance.md); an event costs the SDK the same
however many it has."""
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

        deployed = "the chat function alone, as deployed"
        with_all = "`python -m local`: supervisor, planner and session manager use the same core"
        alone = [
            await measure(
                ChatAlone(home / str(tokens), simulator), deployed, f", tokens an event: {tokens}", tokens, GOAL_TURNS_S
            )
            for tokens in (MANY, SEVERAL, 1)
        ]
        whole = LocalServer(home / "whole", simulator)
        more = f", background work included, tokens an event: {MANY}"
        return [*alone, await measure(whole, with_all, more, MANY, None)]


async def _rate(server: ReadyProcess, simulator: Simulator, people: int, lines: int, tokens: int) -> tuple[float, str]:
    """Return the turns a second, and how they were measured."""

    def sign_in(number: int) -> AbstractAsyncContextManager[Person]:
        return signed_as(f"person-{number}", PROJECT, server.address)

    simulator.pace()
    async with _talks(sign_in, 1) as talks:
        await all_say(talks, len(PART_1))  # warms up
    simulator.pace(ttft_ms=TTFT_MS, token_ms=TOKEN_MS, chunk_tokens=tokens)
    progress(f"throughput: {people} at once on one core, {lines} messages each")
    async with _talks(sign_in, people) as talks:
        busy = _cpu_seconds(server)
        seconds, firsts = await all_say(talks, lines)
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
        async with talks_of(server, 1) as talks:
            await all_say(talks, len(PART_1))  # warms up
        simulator.pace(ttft_ms=MODEL_MS)
        alone = 0.0
        for people in (1, *crowds):
            progress(f"throughput: {people} at once")
            async with talks_of(server, people) as talks:
                seconds, _ = await all_say(talks, lines)
            alone = alone or seconds
            if people > 1:
                ideal = f"ideal: each as fast as one alone, {alone / lines:.2f} s a turn"
                how = f"{people} users, {lines} messages each, {people * lines / seconds:.1f} turns/s; {ideal}"
                name = f"{people} concurrent turns, model at {MODEL_MS} ms: turns/s ÷ ideal"
                figures.append(Figure(name, alone / seconds, "", GOAL_EFFICIENCY, how, at_least=True))
    simulator.pace()
    return figures


@asynccontextmanager
async def _signed_in(sign_in: SignIn, people: int) -> AsyncIterator[list[Person]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(sign_in(number)) for number in range(people)]


@asynccontextmanager
async def _talks(sign_in: SignIn, people: int) -> AsyncIterator[list[tuple[Person, str]]]:
    """Sign in so many users, each with a conversation."""
    async with _signed_in(sign_in, people) as persons:
        yield [(person, (await person.open()).id) for person in persons]


def signed_in_all(server: ReadyProcess, people: int) -> AbstractAsyncContextManager[list[Person]]:
    """Sign in so many new users at a local server."""
    return _signed_in(lambda _: signed_in(server.address), people)


def talks_of(server: ReadyProcess, people: int) -> AbstractAsyncContextManager[list[tuple[Person, str]]]:
    """Sign in so many new users at a local server, each with a conversation."""
    return _talks(lambda _: signed_in(server.address), people)


async def all_say(talks: Sequence[tuple[Person, str]], lines: int) -> tuple[float, list[float]]:
    """Say the same lines in all conversations at once; return the seconds, and each turn's to the first word."""

    async def say_all(person: Person, conversation_id: str) -> list[float]:
        return [await _first_word(person, conversation_id, line.client) for line in islice(cycle(PART_1), lines)]

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
