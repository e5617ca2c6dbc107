"""Queues are created, changed, listed and deleted."""

import asyncio

import pytest
from google.api_core.exceptions import NotFound
from google.cloud.tasks_v2.types import Queue, RetryConfig
from google.protobuf.field_mask_pb2 import FieldMask

from local.emulators.tasks import QueueSettings
from tests.support.tasks_bench import QUEUE

HERE = "projects/p/locations/l"


async def test_a_new_queue_has_the_defaults_of_cloud_tasks(bench):
    await bench.client.create_queue(parent=HERE, queue=Queue(name=f"{HERE}/queues/new"))
    queue = await bench.client.get_queue(name=f"{HERE}/queues/new")
    assert queue.state == Queue.State.RUNNING
    assert (queue.rate_limits.max_dispatches_per_second, queue.rate_limits.max_concurrent_dispatches) == (500, 1000)
    retry = queue.retry_config
    assert (retry.max_attempts, retry.max_doublings) == (100, 16)
    assert [span.total_seconds() for span in (retry.min_backoff, retry.max_backoff)] == [0.1, 3600]


async def test_an_update_changes_what_its_mask_names_and_takes_effect_at_once(open_bench):
    bench = await open_bench(503, settings=QueueSettings(max_attempts=7, min_backoff_s=10))
    await bench.client.pause_queue(name=QUEUE)
    changed = await bench.client.update_queue(
        queue=Queue(name=QUEUE, retry_config=RetryConfig(max_attempts=1, max_doublings=3)),
        update_mask=FieldMask(paths=["retry_config.max_attempts"]),
    )
    assert (changed.retry_config.max_attempts, changed.retry_config.max_doublings) == (1, 16)
    assert changed.retry_config.min_backoff.total_seconds() == 10
    assert changed.state == Queue.State.PAUSED
    await bench.create("t1")
    await bench.client.resume_queue(name=QUEUE)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1"]


async def test_changes_at_once_are_all_made(bench):
    changes = [
        bench.client.update_queue(
            queue=Queue(name=QUEUE, retry_config=RetryConfig(max_attempts=5)),
            update_mask=FieldMask(paths=["retry_config"]),
        ),
        bench.client.pause_queue(name=QUEUE),
        bench.client.purge_queue(name=QUEUE),
    ]
    await asyncio.gather(*changes)
    queue = await bench.client.get_queue(name=QUEUE)
    assert (queue.retry_config.max_attempts, queue.state.name) == (5, "PAUSED")
    assert queue.purge_time == bench.clock.now()


async def test_a_deleted_queue_is_gone_with_its_tasks(bench):
    await bench.create("t1", delay=60)
    await bench.client.delete_queue(name=QUEUE)
    for lost in (bench.client.get_queue(name=QUEUE), bench.create("t2"), bench.get("t1")):
        with pytest.raises(NotFound):
            await lost
    await bench.client.create_queue(parent=HERE, queue=Queue(name=QUEUE))
    assert [task async for task in await bench.client.list_tasks(parent=QUEUE)] == []
