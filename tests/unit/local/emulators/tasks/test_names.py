"""A name is used once, until it is released."""

import asyncio

import pytest
from google.api_core.exceptions import AlreadyExists, NotFound

from tests.support.polling import eventually

HOUR = 3600


async def test_a_name_is_refused_while_its_task_waits(bench):
    await bench.create("t1", delay=60)
    with pytest.raises(AlreadyExists):
        await bench.create("t1")


async def test_a_name_is_refused_while_its_task_is_under_way(bench):
    bench.receiver.gate.clear()
    await bench.create("t1")

    async def under_way():
        return bench.receiver.busy > 0

    await eventually(under_way)
    with pytest.raises(AlreadyExists):
        await bench.create("t1")


async def test_a_name_is_refused_after_its_task_is_done_and_is_free_a_day_later(bench):
    await bench.create("t1")
    await bench.emulator.idle()
    with pytest.raises(NotFound):
        await bench.get("t1")
    bench.pass_time(23 * HOUR)
    with pytest.raises(AlreadyExists):
        await bench.create("t1")
    bench.pass_time(2 * HOUR)
    await bench.create("marker")
    await bench.emulator.idle()
    await bench.create("t1")
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1", "marker", "t1"]


async def test_of_twenty_that_create_one_name_at_once_exactly_one_succeeds(bench):
    outcomes = await asyncio.gather(*(bench.create("t1") for _ in range(20)), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AlreadyExists"] * 19 + ["Task"]
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1"]
