"""Time limits of a stream: first item, between items and total."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from enum import Enum
from typing import Literal, TypeVar

from shared.domain.errors import ModelTimeout
from shared.model import Model

T = TypeVar("T")


class Pace(Model):
    """Time limits, seconds: for the first item, for each next one, and in total."""

    first_s: float
    idle_s: float
    total_s: float


class _Mark(Enum):
    END = "end"


async def paced(source: AsyncGenerator[T, None], pace: Pace) -> AsyncGenerator[T, None]:
    """Yield the items of `source`, or raise `ModelTimeout` if one is late.

    A task of its own reads `source`, so that a slow consumer does not count, and closing or cancelling this generator
    always reaches the source: closing the outermost of the SDK's nested generators would leave the inner ones and the
    HTTP response to the garbage collector. The answer's max_output_tokens bounds the queue.
    """
    items: asyncio.Queue[T | Literal[_Mark.END]] = asyncio.Queue()
    reader = asyncio.create_task(_read_and_close(source, pace, items.put_nowait))
    reader.add_done_callback(lambda _: items.put_nowait(_Mark.END))
    try:
        while (item := await items.get()) is not _Mark.END:
            yield item
        await reader
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def _read_and_close(source: AsyncGenerator[T, None], pace: Pace, put: Callable[[T], None]) -> None:
    async with aclosing(source):
        await _read(source, pace, put)


async def _read(source: AsyncIterator[T], pace: Pace, put: Callable[[T], None]) -> None:
    now = asyncio.get_running_loop().time
    end = now() + pace.total_s
    patience = pace.first_s
    while True:
        late = asyncio.timeout_at(min(end, now() + patience))
        try:
            async with late:
                item = await anext(source, _Mark.END)
        except TimeoutError:
            raise ModelTimeout(_late_for(first=patience is pace.first_s, ended=now() >= end)) from None
        if item is _Mark.END:
            return
        put(item)
        patience = pace.idle_s


def _late_for(*, first: bool, ended: bool) -> str:
    if ended:
        return "stream not finished in time"
    return "no first token in time" if first else "no next token in time"
