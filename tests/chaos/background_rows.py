"""Rows of the fault table: the model of the background work is out for minutes, and then well again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.chaos.measured import Measured
from tests.chaos.model_rows import CHATTER, Home, home
from tests.chaos.turns import listen
from tests.support.stored import stored

BEFORE_SUMMARY = 6
"""Turns after which a summary is due."""
OUTAGE_S = 150.0
"""As long as a task is tried before it is given up."""
GOOD_WITHIN_S = 30.0
LATER = 3
"""Turns that are talked after the outage: each looks for what is due."""


async def measure_outage(folder: Path) -> list[Measured]:
    """Let summaries and closings meet 503 for minutes; then heal, talk on, and see whether they are made good."""
    async with home(folder) as at:
        talked, ended = await at.person.open(), await at.person.open()
        await asyncio.to_thread(at.simulator.fault, "unavailable", "Summary")
        await asyncio.to_thread(at.simulator.fault, "unavailable", "ClosingWork")
        for number in range(2):
            await listen(at.person, ended.id, CHATTER[number])
        await at.person.http.post(f"/api/conversations/{ended.id}/end")
        for number in range(BEFORE_SUMMARY):
            await listen(at.person, talked.id, CHATTER[number % len(CHATTER)])
        given_up = await _seconds_until(OUTAGE_S, lambda: _both_given_up(at, talked.id, ended.id))
        await asyncio.to_thread(at.simulator.heal)
        for number in range(LATER):
            await listen(at.person, talked.id, CHATTER[number])
        summarized, closed = await asyncio.gather(
            _seconds_until(GOOD_WITHIN_S, lambda: _summarized(at)),
            _seconds_until(GOOD_WITHIN_S, lambda: _closed(at, ended.id)),
        )
        unread, to_follow = await _due(at, talked.id), await _due(at, ended.id)
    how = "given up" if given_up is not None else "kept due"
    return [
        Measured(
            "model 503 for minutes: summary",
            "6",
            None,
            None,
            None,
            how,
            made_good(summarized, "unread turns stay in the prompt; due at the sweep" if unread else ""),
        ),
        Measured(
            "model 503 for minutes: closing",
            "end",
            None,
            None,
            None,
            how,
            made_good(closed, "stands in; due at the sweep" if to_follow else ""),
        ),
    ]


def made_good(seconds: float | None, due: str) -> str:
    """Say whether the work was done after all, or how it is kept due."""
    return (due or "forgotten") if seconds is None else "made good once the model answered"


async def _seconds_until(within_s: float, look: Callable[[], Awaitable[bool]]) -> float | None:
    began = time.monotonic()
    while time.monotonic() - began < within_s:
        if await look():
            return time.monotonic() - began
        await asyncio.sleep(0.5)
    return None


async def _both_given_up(at: Home, talked: str, ended: str) -> bool:
    async with stored(at.server.database) as store:
        return (await store.session(talked)).watermarks.summarized > 0 and await _closing_exists(at, ended)


async def _closing_exists(at: Home, conversation_id: str) -> bool:
    return (await _view(at, conversation_id)).get("closing") is not None


async def _summarized(at: Home) -> bool:
    """Whether the model has written a summary, and not the code that stands in for it."""
    recent = await asyncio.to_thread(at.simulator.recent_calls)
    return any(call["agent"] == "Summary" and call["outcome"] == "answered" for call in recent)


async def _closed(at: Home, conversation_id: str) -> bool:
    closing = (await _view(at, conversation_id)).get("closing")
    return isinstance(closing, dict) and not closing["made_by_rule"]


async def _due(at: Home, conversation_id: str) -> bool:
    """Whether the sweep looks for work of a conversation again."""
    async with stored(at.server.database) as store:
        return (await store.session(conversation_id)).due_since is not None


async def _view(at: Home, conversation_id: str) -> dict[str, object]:
    answer = await at.person.http.get(f"/api/conversations/{conversation_id}")
    view: dict[str, object] = answer.json()
    return view
