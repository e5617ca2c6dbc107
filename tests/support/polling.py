"""Waits for a condition with a deadline, never for a fixed time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

PAUSE_S = 0.03
WITHIN_S = 60.0
"""Long enough for a machine that runs several files of tests at once; only a failing test waits so long."""


async def eventually(look: Callable[[], Awaitable[T | None]], *, within_s: float = WITHIN_S, what: str = "") -> T:
    """Look until the answer is neither None nor False, and return it."""
    deadline = time.monotonic() + within_s
    while True:
        found = await look()
        if found is not None and found is not False:
            return found
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what or 'the condition'} did not come about within {within_s} s")
        await asyncio.sleep(PAUSE_S)


async def until(look: Callable[[], object], *, within_s: float = WITHIN_S, what: str = "") -> None:
    """Wait until a look without waiting finds something true."""

    async def looked() -> bool:
        return bool(look())

    await eventually(looked, within_s=within_s, what=what)
