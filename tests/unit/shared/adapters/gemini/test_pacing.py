import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from shared.adapters.gemini.pacing import Pace, paced
from shared.domain.errors import ModelTimeout

EASY = Pace(first_s=5, idle_s=5, total_s=5)


class Source:
    """Numbers, then an end, an error or for ever nothing; knows whether it was closed."""

    def __init__(self, count: int, then: str = "end") -> None:
        self.count = count
        self.then = then
        self.closed = False

    async def numbers(self) -> AsyncGenerator[int, None]:
        try:
            for number in range(self.count):
                yield number
            if self.then == "error":
                raise RuntimeError("broken")
            if self.then == "hang":
                await asyncio.get_running_loop().create_future()
        finally:
            self.closed = True


async def test_everything_comes_through_in_order() -> None:
    assert [n async for n in paced(Source(100).numbers(), EASY)] == list(range(100))


async def test_an_error_comes_after_what_was_yielded_before_it() -> None:
    items = paced(Source(3, "error").numbers(), EASY)
    assert [await anext(items) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="broken"):
        await anext(items)


async def test_each_limit_ends_a_hang_and_closes_the_source(subtests: pytest.Subtests) -> None:
    cases = [
        (0, Pace(first_s=0.02, idle_s=5, total_s=5), "first token"),
        (2, Pace(first_s=5, idle_s=0.02, total_s=5), "next token"),
        (2, Pace(first_s=5, idle_s=5, total_s=0.02), "not finished"),
        (0, Pace(first_s=0.02, idle_s=0.02, total_s=5), "first token"),
    ]
    for count, pace, reason in cases:
        with subtests.test(pace=pace):
            source = Source(count, "hang")
            with pytest.raises(ModelTimeout, match=reason):
                async for _ in paced(source.numbers(), pace):
                    pass
            assert source.closed


async def test_closing_closes_the_source_before_it_returns() -> None:
    source = Source(1, "hang")
    async with aclosing(paced(source.numbers(), EASY)) as items:
        await anext(items)
    assert source.closed


async def test_cancelling_the_consumer_closes_the_source() -> None:
    source = Source(1, "hang")
    got = asyncio.Event()

    async def consume() -> None:
        async for _ in paced(source.numbers(), EASY):
            got.set()

    task = asyncio.create_task(consume())
    await got.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert source.closed


async def test_an_error_that_nobody_waits_for_is_not_reported_as_lost() -> None:
    items = paced(Source(1, "error").numbers(), EASY)
    await anext(items)
    await items.aclose()
