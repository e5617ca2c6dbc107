"""More users at one moment than an instance accepts: what is refused, what the others wait for, and the second try."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from shared.config.settings import LocalSettings
from tests.builders.first_session import PART_1
from tests.load.crowd import SEVERAL, TOKEN_MS, TTFT_MS, all_say, signed_in_all, talks_of
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import OPENING, Person, events_of, message
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator

ACCEPTED, REFUSED = "accepted", "refused with 503 and Retry-After"
MOST_TRIES = 20


@dataclass(frozen=True)
class Try:
    """One request: how it ended, seconds until its first word or its answer, and its `Retry-After`."""

    ended: str
    took: float
    retry_after: int = 0


@dataclass(frozen=True)
class Insisting:
    """What became of a user who tries again after each `Retry-After`."""

    tries: Sequence[Try]
    seconds: float  # from the first try to the answer, or until the user gave up

    @property
    def first(self) -> Try:
        return self.tries[0]

    @property
    def accepted(self) -> bool:
        return self.tries[-1].ended == ACCEPTED


async def overload(home: Path, simulator: Simulator, people: int) -> list[Figure]:
    """Let as many users write at once as an instance accepts, then many more."""
    limit = LocalSettings.read({}).turns
    simulator.reset()
    with LocalServer(home, simulator) as server:
        async with talks_of(server, 1) as talks:
            await all_say(talks, len(PART_1))  # warms up
        simulator.pace(ttft_ms=TTFT_MS, token_ms=TOKEN_MS, chunk_tokens=SEVERAL)
        progress(f"overload: {limit} messages at once, then {people}")
        async with talks_of(server, min(limit, people)) as talks:
            _, within = await all_say(talks, 1)
        async with talks_of(server, people) as talks:
            users = await _all_insist([_saying(*talk) for talk in talks])
        simulator.pace()
    pace = f"model at {TTFT_MS} ms, {TOKEN_MS} ms a token, {SEVERAL} an event"
    how = f"first messages of {people} users over SSE, `python -m local` with its limit of {limit} turns; {pace}"
    firsts = [user.first.took for user in users if user.first.ended == ACCEPTED]
    at_limit = f"a crowd of {len(within)}: p50 {median(within):.1f} s, p95 {percentile(within, 95):.1f} s"
    slow = percentile(firsts, 95) if firsts else None
    admitted = f"p50 {median(firsts):.1f} s; {at_limit}" if firsts else at_limit
    return [
        *_refusals(f"{people} messages at once", users, how),
        Figure("the same, first word of the accepted ones, p95", slow, " s", None, admitted),
    ]


async def openings(home: Path, simulator: Simulator, people: int) -> list[Figure]:
    """Let as many users open a conversation at the same moment."""
    simulator.reset()
    with LocalServer(home, simulator) as server:
        async with signed_in_all(server, people) as persons:
            progress(f"openings: {people} at once")
            await persons[0].open()
            users = await _all_insist([_opening(person) for person in persons])
    opened = [user.first.took for user in users if user.first.ended == ACCEPTED]
    middle = f"; opened at once: p50 {median(opened):.2f} s, p95 {percentile(opened, 95):.2f} s" if opened else ""
    how = f"{people} signed-in users, `python -m local` with its defaults{middle}"
    name = f"{people} conversations opened at once"
    slowest = max(user.first.took for user in users)
    return [Figure(f"{name}, until the last answer", slowest, " s", None, how), *_refusals(name, users, "the same run")]


def _refusals(name: str, users: Sequence[Insisting], how: str) -> list[Figure]:
    kinds = Counter(user.first.ended for user in users)
    refused = [user for user in users if user.first.ended == REFUSED]
    others = {kind: count for kind, count in kinds.items() if kind not in (ACCEPTED, REFUSED)}
    note = ", ".join(f"{count} {kind}" for kind, count in others.items())
    in_the_end = sum(user.accepted for user in refused) / len(refused) if refused else None
    tries = max(len(user.tries) for user in users)
    last = max(user.seconds for user in users)
    waited = (
        f"each tries again after `Retry-After`: at most {tries} tries, the last answer was complete after {last:.1f} s"
    )
    return [
        Figure(f"{name}, {REFUSED}", len(refused), "", None, how),
        Figure(f"{name}, neither accepted nor so refused", sum(others.values()), "", 0, how, note=note),
        Figure(
            f"{name}, share of the refused that is accepted later", in_the_end, "", 1, waited,
            at_least=True, note="" if refused else "none was refused",
        ),
    ]  # fmt: skip


async def _all_insist(attempts: Sequence[Callable[[], Awaitable[Try]]]) -> list[Insisting]:
    return await asyncio.gather(*map(_insist, attempts))


async def _insist(attempt: Callable[[], Awaitable[Try]]) -> Insisting:
    """Try until the request is accepted, waiting as long as each refusal says."""
    began = time.perf_counter()
    tries = [await attempt()]
    while tries[-1].ended == REFUSED and len(tries) < MOST_TRIES:
        await asyncio.sleep(tries[-1].retry_after)
        tries.append(await attempt())
    return Insisting(tries, time.perf_counter() - began)


def _saying(person: Person, conversation_id: str) -> Callable[[], Awaitable[Try]]:
    """Send a message under one id, however often it is tried."""
    sent = message(PART_1[0].client)

    async def attempt() -> Try:
        began = time.perf_counter()
        address, headers = f"/api/conversations/{conversation_id}/chat", {"Accept": "text/event-stream"}
        async with person.http.stream("POST", address, headers=headers, json=sent) as response:
            if response.status_code != 200:
                return _turned_away(response.status_code, response.headers, began)
            first, last = 0.0, ""
            async for event in events_of(response):
                last = event.name
                if last == "token" and not first:
                    first = time.perf_counter() - began
        return Try(ACCEPTED if last == "done" else f"**ended with {last or 'nothing'}**", first)

    return attempt


def _opening(person: Person) -> Callable[[], Awaitable[Try]]:
    async def attempt() -> Try:
        began = time.perf_counter()
        response = await person.http.post("/api/conversations", json=OPENING)
        if response.status_code != 201:
            return _turned_away(response.status_code, response.headers, began)
        return Try(ACCEPTED, time.perf_counter() - began)

    return attempt


def _turned_away(status: int, headers: httpx.Headers, began: float) -> Try:
    took = time.perf_counter() - began
    if status == 503 and "Retry-After" in headers:
        return Try(REFUSED, took, int(headers["Retry-After"]))
    return Try(f"**answered {status}**", took)
