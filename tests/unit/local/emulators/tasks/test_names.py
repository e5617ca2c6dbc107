"""A name is used once, until it is released."""

import asyncio

import pytest
from google.api_core.exceptions import AlreadyExists, NotFound

from local.emulators.tasks import QueueSettings
from tests.support.polling import eventually
from tests.support.tasks_bench import QUEUE

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


async def test_a_name_is_refused_after_its_task_was_deleted(bench):
    await bench.create("t1", delay=60)
    await bench.client.delete_task(name=f"{QUEUE}/tasks/t1")
    with pytest.raises(AlreadyExists):
        await bench.create("t1")
    with pytest.raises(NotFound):
        await bench.client.delete_task(name=f"{QUEUE}/tasks/t1")


async def test_a_name_is_refused_after_its_task_was_given_up(open_bench):
    bench = await open_bench(500, settings=QueueSettings(max_attempts=1))
    await bench.create("t1")
    await bench.emulator.idle()
    with pytest.raises(AlreadyExists):
        await bench.create("t1")


async def test_of_twenty_that_create_one_name_at_once_exactly_one_succeeds(bench):
    outcomes = await asyncio.gather(*(bench.create("t1") for _ in range(20)), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["AlreadyExists"] * 19 + ["Task"]
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1"]


async def test_a_task_without_a_name_gets_one_of_its_own(bench):
    first, second = await bench.create(), await bench.create()
    assert first.name != second.name
    assert first.name.startswith(f"{QUEUE}/tasks/")


async def test_one_name_in_two_queues_is_two_tasks(bench):
    other = f"{QUEUE}2"
    await bench.client.create_queue(parent="projects/p/locations/l", queue={"name": other})
    await bench.create("t1")
    await bench.create("t1", queue=other)
    await bench.emulator.idle()
    assert [request.headers["x-cloudtasks-queuename"] for request in bench.receiver.received] in (
        ["q", "q2"],
        ["q2", "q"],
    )
