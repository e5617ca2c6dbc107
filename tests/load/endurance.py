"""Many turns on one instance, one after the other: whether its memory grows."""

import asyncio
from itertools import cycle, islice
from pathlib import Path

import psutil

from tests.builders.first_session import PART_1
from tests.load.figures import Figure, progress
from tests.support.chat_client import Person, signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator

GOAL_RSS_MB, GOAL_GROWTH_MB = 180, 5
CONVERSATIONS, TURNS_EACH = 5, 10
MEGABYTE = 1024 * 1024


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
                await asyncio.gather(*(_talk(person) for _ in range(people)))
                done += people * TURNS_EACH
                readings.append((done, process.memory_info().rss / MEGABYTE))
                progress(f"memory: {done} of {turns} turns, {readings[-1][1]:.0f} MB")
    middle, half = next(reading for reading in readings if reading[0] >= done / 2)
    last, growth = readings[-1][1], "growth of the memory since half of them"
    how = f"`python -m local` without the simulator: all four functions; {start:.0f} MB before the first turn"
    return [
        Figure(f"memory after {done} turns (RSS)", last, " MB", GOAL_RSS_MB, how),
        Figure(growth, last - half, " MB", GOAL_GROWTH_MB, f"{half:.0f} MB after {middle} turns"),
    ]


async def _talk(person: Person) -> None:
    conversation = await person.open()
    for line in islice(cycle(PART_1), TURNS_EACH):
        await person.say(conversation.id, line.client)
