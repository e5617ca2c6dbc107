"""What fails is tried again, as the queue's retry configuration says."""

from datetime import timedelta

import pytest
from google.api_core.exceptions import NotFound

from local.emulators.tasks import QueueSettings

DOCUMENTED = QueueSettings(min_backoff_s=10, max_backoff_s=300, max_doublings=3, max_attempts=9)
"""The example of the reference: https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2#retryconfig."""


async def test_the_wait_doubles_then_grows_linearly_then_stays_as_google_documents(open_bench):
    bench = await open_bench(503, settings=DOCUMENTED)
    await bench.create("t1")
    waits = []
    for attempt in range(1, 9):
        task = await bench.failed("t1", attempt)
        waits.append((task.schedule_time - bench.clock.now()).total_seconds())
        bench.pass_time(waits[-1])
    assert waits == [10, 20, 40, 80, 160, 240, 300, 300]


async def test_a_failed_task_is_not_tried_before_its_time(open_bench):
    bench = await open_bench(503, 200, settings=DOCUMENTED)
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(9.9)
    await bench.create("marker")  # sent only after the loop has looked at what is due
    assert await bench.received(2) == ["t1", "marker"]
    bench.pass_time(0.1)
    assert await bench.received(3) == ["t1", "marker", "t1"]


async def test_after_the_last_attempt_the_task_is_gone(open_bench):
    bench = await open_bench(503, settings=QueueSettings(max_attempts=2, min_backoff_s=1))
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(1)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1", "t1"]
    with pytest.raises(NotFound):
        await bench.get("t1")


async def test_a_task_tells_of_its_attempts(open_bench):
    bench = await open_bench(404, 503, settings=QueueSettings(min_backoff_s=5))
    began = bench.clock.now()
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(5)
    task = await bench.failed("t1", 2)
    assert (task.dispatch_count, task.response_count) == (2, 2)
    assert task.first_attempt.dispatch_time == began
    assert task.last_attempt.dispatch_time == task.last_attempt.schedule_time == began + timedelta(seconds=5)
    assert task.last_attempt.response_status.code == 14
