"""How long until the first word, against a bare stream of the same model, and with no reply begun early."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from google import genai
from google.genai import types

from tests.builders.first_session import PART_1
from tests.builders.shipped_settings import agent_settings
from tests.load.figures import Figure, median, progress
from tests.load.samples import COMPLETED, Sample, outcome_of
from tests.support.chat_client import Person, signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import stored

TTFT_MS, TOKEN_MS = 400, 7
GOAL_HELD, GOAL_COMPLETED, GOAL_ALL = 1.15, 2.2, 1.5
SEQUENTIAL = {"CBOT_MODEL_PATIENCE": "1.01"}
"""For a model that is waited for longer no reply is begun early."""
WARM_LINES = 3
CHATTER = (
    *("음, 오늘은 날이 좀 흐리네요.", "그냥 요즘 하루가 참 길게 느껴져요."),
    *("창밖을 보면 다들 바쁘게 걸어가더라고요.", "저녁에는 불을 끄고 가만히 누워 있을 때가 많아요."),
)
"""Lines that complete no task, since no story knows them."""


async def first_token(
    home: Path, simulator: Simulator, sessions: int, lines: int, pause_s: float
) -> tuple[list[Figure], list[Sample]]:
    """Take each turn on both servers after a bare stream; before each round `pause_s` for the background work."""
    simulator.reset()
    early = LocalServer(home / "early", simulator)
    sequential = LocalServer(home / "sequential", simulator, **SEQUENTIAL)
    with early, sequential:
        await asyncio.gather(_warm(early), _warm(sequential))
        simulator.pace(ttft_ms=TTFT_MS, token_ms=TOKEN_MS)
        samples: list[Sample] = []
        for number in range(1, sessions + 1):
            progress(f"first token: session {number} of {sessions}, {lines} turns")
            samples += await _session(number, (early, sequential), simulator, lines, pause_s)
    simulator.reset()
    return _figures(samples, pause_s), samples


async def _warm(server: LocalServer) -> None:
    async with signed_in(server.address) as person:
        conversation = await person.open()
        for line in PART_1[:WARM_LINES]:
            await person.say(conversation.id, line.client)


async def _session(
    number: int, servers: tuple[LocalServer, LocalServer], simulator: Simulator, lines: int, pause_s: float
) -> list[Sample]:
    """Take one session on both servers; lines that complete a task alternate with lines that do not."""
    options = types.HttpOptions(base_url=simulator.address)
    client = genai.Client(vertexai=False, api_key="bench", http_options=options)
    await _bare(client)
    heard: list[list[float]] = []
    async with signed_in(servers[0].address) as one, signed_in(servers[1].address) as other:
        talks = [(person, (await person.open()).id) for person in (one, other)]
        for at in range(lines):
            text = (PART_1[at // 2 % len(PART_1)].client, CHATTER[at // 2 % len(CHATTER)])[at % 2]
            await asyncio.sleep(pause_s)
            heard.append([await _bare(client)])
            for person, conversation_id in talks:
                heard[-1].append(await _turn(person, conversation_id, text))
    async with stored(servers[0].database) as store:
        turns = await store.turns(talks[0][1])
    return [
        Sample(number, turn.seq, *(s * 1000 for s in seconds), outcome_of(turn), COMPLETED in turn.events)
        for seconds, turn in zip(heard, turns, strict=True)
    ]


def _figures(samples: Sequence[Sample], pause_s: float) -> list[Figure]:
    groups = {
        "plan held, median": ([one for one in samples if one.outcome == "held"], median, GOAL_HELD),
        "task completed in this turn, median": ([one for one in samples if one.completed], median, GOAL_COMPLETED),
        "plan changed, median": ([one for one in samples if one.outcome == "changed"], median, None),
        "all turns, mean": (samples, fmean, GOAL_ALL),
    }
    outcomes = ", ".join(f"{count} {name}" for name, count in Counter(one.outcome for one in samples).most_common())
    how = (
        f"first `token` over SSE ÷ the bare google-genai stream right before it, simulator at {TTFT_MS} ms, {TOKEN_MS} "
        f"ms/token, embedded store, warm; {pause_s:g} s for the background work between rounds; {len(samples)} turns: "
        f"{outcomes}; bare stream: median {median([one.bare_ms for one in samples]):.0f} ms"
    )
    figures = []
    for name, (group, middle, goal) in groups.items():
        value = middle([one.ratio for one in group]) if group else None
        figures.append(Figure(f"TTFT ratio, {name}", value, "", goal, f"{how}; {len(group)} of them here"))
        how = "the same"
    for name, (group, middle, _) in groups.items():
        value = middle([one.sequential_ratio for one in group]) if group else None
        variables = " ".join(f"{key}={given}" for key, given in SEQUENTIAL.items())
        figures.append(Figure(f"TTFT ratio, sequential, {name}", value, "", None, f"the same turns with `{variables}`"))
    return figures


async def _turn(person: Person, conversation_id: str, text: str) -> float:
    """Take a turn over SSE; returns the seconds to the first word."""
    began, first = time.perf_counter(), 0.0
    async with person.stream(conversation_id, text) as events:
        async for event in events:
            if event.name == "token" and not first:
                first = time.perf_counter() - began
    return first


async def _bare(client: genai.Client) -> float:
    """Seconds to the first text of a stream."""
    began, first = time.perf_counter(), 0.0
    settings = agent_settings()["counselor"]
    thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel(str(settings.thinking_level).upper()))
    config = types.GenerateContentConfig(thinking_config=thinking)
    ask = client.aio.models.generate_content_stream
    async for chunk in await ask(model=settings.model, contents=CHATTER[0], config=config):
        if chunk.text and not first:
            first = time.perf_counter() - began
    return first
