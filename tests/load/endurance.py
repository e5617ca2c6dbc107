"""Many turns on one instance: concurrent, and one after the other."""

import asyncio
import time
from itertools import cycle, islice
from pathlib import Path

import psutil

from tests.builders.first_session import PART_1
from tests.load.figures import Figure, progress
from tests.support.chat_client import Person, signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator

MODEL_MS = 800
GOAL_EFFICIENCY, GOAL_RSS_MB = 0.85, 200
CONVERSATIONS, TURNS_EACH = 5, 10
MEGABYTE = 1024 * 1024


async def throughput(server: LocalServer, simulator: Simulator, crowds: tuple[int, ...], lines: int) -> list[Figure]:
    """Compare many concurrent conversations with a single one."""
    simulator.reset()
    figures = []
    async with signed_in(server.address) as person:
        simulator.pace(ttft_ms=MODEL_MS)
        progress("throughput: one alone")
        alone = await _crowd(person, 1, lines)
        for people in crowds:
            progress(f"throughput: {people} at once")
            seconds = await _crowd(person, people, lines)
            ideal = f"ideal: each as fast as one alone, {alone / lines:.2f} s a turn"
            how = f"{lines} messages each, {people * lines / seconds:.1f} turns/s; {ideal}"
            name = f"{people} concurrent turns, model at {MODEL_MS} ms: turns/s ÷ ideal"
            figures.append(Figure(name, alone / seconds, "", GOAL_EFFICIENCY, how, at_least=True))
    simulator.pace()
    return figures


async def memory(home: Path, simulator: Simulator, turns: int) -> list[Figure]:
    simulator.reset()
    readings: list[tuple[int, float]] = []
    done = 0
    with LocalServer(home, simulator) as server:
        process = psutil.Process(server.pid)
        start = process.memory_info().rss / MEGABYTE
        async with signed_in(server.address) as person:
            while done < turns:
                people = max(1, min(CONVERSATIONS, (turns - done) // TURNS_EACH))
                await _crowd(person, people, TURNS_EACH)
                done += people * TURNS_EACH
                readings.append((done, process.memory_info().rss / MEGABYTE))
                progress(f"memory: {done} of {turns} turns, {readings[-1][1]:.0f} MB")
    middle, half = next(reading for reading in readings if reading[0] >= done / 2)
    last, growth = readings[-1][1], "growth of the memory since half of them"
    how = f"`python -m local` without the simulator; {start:.0f} MB before the first turn"
    return [
        Figure(f"memory after {done} turns (RSS)", last, " MB", GOAL_RSS_MB, how),
        Figure(growth, last - half, " MB", None, f"{half:.0f} MB after {middle} turns"),
    ]


async def _crowd(person: Person, people: int, lines: int) -> float:
    """Return the seconds that so many concurrent conversations need for the same lines."""

    async def say_all(conversation_id: str) -> None:
        for line in islice(cycle(PART_1), lines):
            await person.say(conversation_id, line.text)

    conversations = [(await person.open()).id for _ in range(people)]
    began = time.perf_counter()
    await asyncio.gather(*map(say_all, conversations))
    return time.perf_counter() - began
