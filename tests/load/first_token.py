"""How long until the first word, against a bare stream of the same model in the same run."""

import time

from google import genai
from google.genai import types

from shared.config.agents import agent_settings
from shared.domain.turn import TurnRecord
from tests.builders.answers import DETECTOR, filled
from tests.builders.first_session import PART_1, Line
from tests.load.figures import Figure, median, progress
from tests.support.chat_client import Person, signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import stored

TTFT_MS, TOKEN_MS = 400, 7
GOAL_UNCHANGED, GOAL_COMPLETED = 1.15, 2.2
CHATTER = (
    Line("음, 오늘은 날이 좀 흐리네요."),
    Line("그냥 요즘 하루가 참 길게 느껴져요."),
    Line("창밖을 보면 다들 바쁘게 걸어가더라고요."),
    Line("저녁에는 불을 끄고 가만히 누워 있을 때가 많아요."),
)
"""Lines that complete no task: the plan stays unchanged."""


async def first_token(server: LocalServer, simulator: Simulator, sessions: int, lines: int) -> list[Figure]:
    """Measure turns and bare streams alternately, and sort the turns by their ledger."""
    simulator.reset()
    simulator.pace(ttft_ms=TTFT_MS, token_ms=TOKEN_MS)
    client = genai.Client(vertexai=False, api_key="bench", http_options=types.HttpOptions(base_url=simulator.address))
    unchanged, completed, bare = [], [], []
    await _bare(client)
    async with signed_in(server.address) as person:
        for number in range(sessions):
            progress(f"first token: session {number + 1} of {sessions}")
            conversation = await person.open()
            heard = {}
            for at in range(lines):  # lines that complete a task alternate with lines that do not
                line = (PART_1[at // 2], CHATTER[at // 2 % len(CHATTER)])[at % 2]
                bare.append(await _bare(client))
                simulator.script({"TaskCompletion": [line.finding()], "UserStateReading": [filled(DETECTOR)]})
                message_id, first = await _turn(person, conversation.id, line.text)
                heard[message_id] = first / bare[-1]
            async with stored(server.database) as store:
                turns = await store.turns(conversation.id)
            for before, turn in zip([None, *turns], turns, strict=False):
                if "TaskCovered" in turn.events:
                    completed.append(heard[turn.message_id])
                elif before is not None and _plan(before) == _plan(turn):
                    unchanged.append(heard[turn.message_id])
    simulator.reset()
    pace = f"simulator at {TTFT_MS} ms, {TOKEN_MS} ms/token"
    how = f"first `token` over SSE ÷ the bare google-genai stream right before it, {pace}; {len(unchanged)} turns"
    bare_ms = f"bare stream: median {median(bare) * 1000:.0f} ms"
    after = "TTFT ratio, task completed in this turn, median"
    same = f"the same; {len(completed)} turns"
    return [
        Figure("TTFT ratio, plan unchanged, median", _median(unchanged), "", GOAL_UNCHANGED, f"{how}; {bare_ms}"),
        Figure(after, _median(completed), "", GOAL_COMPLETED, same),
    ]


def _plan(turn: TurnRecord) -> object:
    directive = turn.directive or {}
    return directive.get("task_id"), directive.get("module_id"), directive.get("stance")


def _median(values: list[float]) -> float | None:
    return median(values) if values else None


async def _turn(person: Person, conversation_id: str, text: str) -> tuple[str, float]:
    """Take a turn over SSE; returns the message's id and the seconds to the first word."""
    began, first = time.perf_counter(), 0.0
    async with person.stream(conversation_id, text) as events:
        async for event in events:
            if event.name == "token" and not first:
                first = time.perf_counter() - began
    return event.data["message_id"], first


async def _bare(client: genai.Client) -> float:
    """Seconds to the first text of a stream."""
    began, first = time.perf_counter(), 0.0
    settings = agent_settings()["counselor"]
    thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel(str(settings.thinking_level).upper()))
    config = types.GenerateContentConfig(thinking_config=thinking)
    ask = client.aio.models.generate_content_stream
    async for chunk in await ask(model=settings.model, contents=CHATTER[0].text, config=config):
        if chunk.text and not first:
            first = time.perf_counter() - began
    return first
