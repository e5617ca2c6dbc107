"""Rows of the fault table: too much at once, of many users or of one."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path

import httpx

from tests.chaos.instances import Emulators, chat_instance
from tests.chaos.measured import Measured
from tests.chaos.model_rows import CHATTER, CRISIS, home
from tests.chaos.turns import Heard, ask, listen, refusal, sends
from tests.load.figures import percentile
from tests.support.chat_client import OPENING, Person, signed_in

CROWD = 200
CONVERSATIONS, TURNS = 30, 4
OPENINGS, EXPORTS = 20, 60


async def measure_crowd(folder: Path) -> list[Measured]:
    """Let 200 users send their first message at once."""
    async with home(folder) as at, AsyncExitStack() as stack:
        people = [await stack.enter_async_context(signed_in(at.server.address)) for _ in range(CROWD)]
        talks = [(person, (await person.open()).id) for person in people]
        await listen(*talks[0], CHATTER[1])
        await asyncio.to_thread(at.simulator.forget_calls)
        heard = await asyncio.gather(*(listen(person, talk, CHATTER[0]) for person, talk in talks))
        called = await sends(at.simulator)
    words = [one.first_word_s for one in heard if one.first_word_s is not None]
    totals = [one.total_s for one in heard if one.replied]
    return [
        Measured(
            f"{CROWD} turns at once, {name}",
            "1",
            percentile(words, percent) if words else None,
            percentile(totals, percent) if totals else None,
            called,
            counted(one.outcome for one in heard),
            "–",
        )
        for name, percent in (("p50", 50), ("p95", 95))
    ]


async def measure_one_user(emulators: Emulators, folder: Path) -> list[Measured]:
    """Let one user open, talk and export without pause, under the deployed limits."""
    household = emulators.household
    async with (
        chat_instance(household, folder, "one-user") as (instance, simulator),
        signed_in(household.address, api=instance.address) as opener,
        signed_in(household.address, api=instance.address) as talker,
    ):
        rows = [await _openings(opener)]
        talks = await _opened(talker)
        await asyncio.to_thread(simulator.forget_calls)
        began = time.monotonic()
        spoken = await asyncio.gather(*(_talk(talker, talk) for talk in talks))
        seconds, called = time.monotonic() - began, await sends(simulator)
        heard = [one for talk in spoken for one in talk]
        name = f"{len(talks)} conversations of one user, {TURNS} turns each"
        rows.append(Measured(name, "all", None, seconds, called, counted(one.outcome for one in heard), "–"))
        alarmed = await listen(talker, talks[0], CRISIS)
        seconds = alarmed.total_s
        rows.append(Measured(name, "crisis message", alarmed.first_word_s, seconds, 0, alarmed.outcome, "–"))
        rows.append(await _exports(talker))
    return rows


async def _openings(person: Person) -> Measured:
    began = time.monotonic()
    answers = await asyncio.gather(*(person.http.post("/api/conversations", json=OPENING) for _ in range(OPENINGS)))
    seconds = time.monotonic() - began
    name = f"{OPENINGS} conversations opened at once by one user"
    return Measured(name, "POST", None, seconds, None, counted(map(refusal, answers)), "–")


async def _exports(person: Person) -> Measured:
    began = time.monotonic()
    answers = await asyncio.gather(*(person.http.get("/api/me/export") for _ in range(EXPORTS)))
    seconds = time.monotonic() - began
    name = f"{EXPORTS} exports of one user at once"
    return Measured(name, "GET", None, seconds, None, counted(map(refusal, answers)), "–")


async def _opened(person: Person) -> list[str]:
    """Open as many conversations as one user gets in an hour."""
    found: list[str] = []
    while len(found) < CONVERSATIONS:
        answer: httpx.Response = await person.http.post("/api/conversations", json=OPENING)
        if answer.status_code == 429:
            return found
        if answer.status_code == 201:
            found.append(answer.json()["conversation_id"])
    return found


async def _talk(person: Person, conversation_id: str) -> list[Heard]:
    return [await ask(person, conversation_id, CHATTER[turn % len(CHATTER)]) for turn in range(TURNS)]


def counted(outcomes: Iterable[str]) -> str:
    """Say how often each outcome came, the most frequent first."""
    return ", ".join(f"{count} × {outcome}" for outcome, count in Counter(outcomes).most_common())
