import asyncio
from datetime import timedelta

import pytest

from local.embedded.delivery import DeliveryPolicy
from local.embedded.queue import EmbeddedTaskQueue
from local.embedded.sqlite_file import SqliteFile
from shared.adapters.system_clock import SystemClock
from shared.contracts.tasks import JobKind, TaskPayload
from shared.observability.formats import TextFormatter

FAST = DeliveryPolicy(max_attempts=4, first_delay_s=0.002, max_delay_s=0.01)

HANG_IN_DELIVERY = """
import asyncio, sys
from pathlib import Path
from local.embedded.queue import EmbeddedTaskQueue
from local.embedded.sqlite_file import SqliteFile
from shared.adapters.system_clock import SystemClock
from shared.contracts.tasks import TaskPayload

async def deliver(kind, headers, body):
    print("in flight", flush=True)
    await asyncio.Event().wait()

async def main():
    file = await SqliteFile.open(Path(sys.argv[1]))
    queue = EmbeddedTaskQueue(file, deliver, SystemClock())
    queue.start()
    await queue.enqueue(TaskPayload(conversation_id="c1", kind="review", seq=1, state_version=1))
    await asyncio.Event().wait()

asyncio.run(main())
"""


def task(seq=1, kind=JobKind.SUPERVISE):
    return TaskPayload(conversation_id="c1", kind=kind, seq=seq, state_version=1)


class Handler:
    """Answers with the statuses it is given, the last one for ever; may be held."""

    def __init__(self, *statuses):
        self.statuses = list(statuses) or [200]
        self.calls = []
        self.busy = 0
        self.busiest = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, kind, headers, body):
        self.calls.append((kind, headers, body))
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            await self.gate.wait()
        finally:
            self.busy -= 1
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if isinstance(status, BaseException):
            raise status
        return status

    @property
    def names(self):
        return [headers["X-CloudTasks-TaskName"] for _, headers, _ in self.calls]


@pytest.fixture
async def file(file_path):
    file = await SqliteFile.open(file_path)
    yield file
    await file.aclose()


@pytest.fixture
async def make_queue(file):
    queues = []

    def make_queue(handler, *, clock=None, policy=FAST, start=True):
        queue = EmbeddedTaskQueue(file, handler, clock or SystemClock(), policy=policy)
        queues.append(queue)
        if start:
            queue.start()
        return queue

    yield make_queue
    for queue in queues:
        await queue.stop(grace_s=0.01)


async def idle(queue):
    async with asyncio.timeout(10):
        await queue.idle()


async def states(file):
    return dict(await file.fetch("SELECT id, state FROM tasks"))


async def test_a_task_is_posted_to_its_kind_with_the_headers_of_cloud_tasks(make_queue):
    handler = Handler()
    queue = make_queue(handler)
    await queue.enqueue(task(seq=7, kind=JobKind.PLAN))
    await idle(queue)
    ((kind, headers, body),) = handler.calls
    assert kind is JobKind.PLAN
    assert TaskPayload.model_validate_json(body) == task(seq=7, kind=JobKind.PLAN)
    assert headers == {
        "Content-Type": "application/json",
        "X-CloudTasks-QueueName": "cbot",
        "X-CloudTasks-TaskName": "c1-plan-7",
        "X-CloudTasks-TaskRetryCount": "0",
        "X-CloudTasks-TaskExecutionCount": "0",
    }


async def test_whatever_is_not_2xx_is_tried_again_until_it_is(make_queue, file):
    handler = Handler(503, RuntimeError("boom"), 404, 204)
    queue = make_queue(handler)
    await queue.enqueue(task())
    await idle(queue)
    counts = [
        (headers["X-CloudTasks-TaskRetryCount"], headers["X-CloudTasks-TaskExecutionCount"])
        for _, headers, _ in handler.calls
    ]
    # a response of 5xx counts as a retry, not as an execution
    assert counts == [("0", "0"), ("1", "0"), ("2", "0"), ("3", "1")]
    assert await states(file) == {"c1-supervise-1": "done"}


async def test_after_the_last_attempt_a_task_is_given_up_logged_and_its_name_stays_used(make_queue, file, caplog):
    handler = Handler(503)
    queue = make_queue(handler)
    await queue.enqueue(task())
    await idle(queue)
    assert len(handler.calls) == FAST.max_attempts
    assert await states(file) == {"c1-supervise-1": "failed"}
    assert [TextFormatter().format(record) for record in caplog.records][-2:] == [
        "WARNING local.embedded.delivery: delivery c1-supervise-1 failed: 503; attempt 4 in 0.0 s",
        "ERROR local.embedded.delivery: delivery c1-supervise-1 given up after 4 attempts: 503",
    ]
    assert not await queue.enqueue(task())


async def test_a_handler_that_raises_is_logged_with_its_traceback(make_queue, caplog):
    queue = make_queue(Handler(ZeroDivisionError("boom"), asyncio.CancelledError(), 200))
    await queue.enqueue(task())
    await idle(queue)
    broken = [record for record in caplog.records if "broke off" in record.getMessage()]
    assert [record.exc_info[0] for record in broken] == [ZeroDivisionError, asyncio.CancelledError]


async def test_an_attempt_past_its_deadline_is_tried_again(make_queue, eventually):
    handler = Handler()
    handler.gate.clear()
    queue = make_queue(handler, policy=DeliveryPolicy(deadline_s=0.02, first_delay_s=0.001))
    await queue.enqueue(task())
    await eventually(lambda: len(handler.calls) >= 2)
    handler.gate.set()
    await idle(queue)
    assert handler.busy == 0


async def test_a_failed_task_waits_for_its_backoff(make_queue, file, clock, eventually):
    handler = Handler(503, 200)
    queue = make_queue(handler, clock=clock, policy=DeliveryPolicy(first_delay_s=10))
    await queue.enqueue(task())
    async with asyncio.timeout(10):
        while await file.fetch("SELECT 1 FROM tasks WHERE attempts = 0"):
            pass
    clock.move(seconds=9)
    await queue.enqueue(task(seq=2))  # delivered only after the loop has looked at what is due
    await eventually(lambda: len(handler.calls) == 2)
    assert handler.names == ["c1-supervise-1", "c1-supervise-2"]
    clock.move(seconds=2)
    queue.wake()
    await idle(queue)
    assert handler.names == ["c1-supervise-1", "c1-supervise-2", "c1-supervise-1"]


async def test_a_delayed_task_is_delivered_when_its_time_has_come(make_queue, clock):
    handler = Handler()
    queue = make_queue(handler, clock=clock)
    await queue.enqueue(task(), delay=timedelta(minutes=10))
    await queue.enqueue(task(seq=2))
    await idle(queue)
    assert handler.names == ["c1-supervise-2"]
    clock.move(minutes=11)
    queue.wake()
    await idle(queue)
    assert handler.names == ["c1-supervise-2", "c1-supervise-1"]


async def test_no_more_than_the_limit_are_delivered_at_a_time_and_all_are_in_the_end(make_queue, eventually):
    handler = Handler()
    handler.gate.clear()
    queue = make_queue(handler)
    for seq in range(20):
        await queue.enqueue(task(seq=seq))
    await eventually(lambda: handler.busy == 4)
    handler.gate.set()
    await idle(queue)
    assert handler.busiest == 4
    assert sorted(handler.names) == sorted(task(seq=seq).name for seq in range(20))


async def test_a_task_enqueued_by_a_handler_is_done_before_the_queue_is_idle(make_queue):
    async def handler(kind, headers, body):
        payload = TaskPayload.model_validate_json(body)
        done.append(payload.seq)
        if payload.seq < 5:
            await queue.enqueue(task(seq=payload.seq + 1))
        return 200

    done = []
    queue = make_queue(handler)
    await queue.enqueue(task())
    await idle(queue)
    assert done == [1, 2, 3, 4, 5]


async def test_stopping_waits_for_what_is_under_way(make_queue, file, eventually):
    handler = Handler()
    handler.gate.clear()
    queue = make_queue(handler)
    await queue.enqueue(task())
    await eventually(lambda: handler.busy)
    stopping = asyncio.create_task(queue.stop())
    await asyncio.sleep(0)
    handler.gate.set()
    await stopping
    assert await states(file) == {"c1-supervise-1": "done"}


async def test_a_task_in_flight_at_kill_9_is_delivered_again(spawn, file_path):
    process = await spawn(HANG_IN_DELIVERY, file_path)
    async with asyncio.timeout(30):
        assert await process.stdout.readline() == b"in flight\n"
    process.kill()
    await process.wait()
    file = await SqliteFile.open(file_path)
    handler = Handler()
    queue = EmbeddedTaskQueue(file, handler, SystemClock())
    queue.start()
    await idle(queue)
    await queue.stop()
    await file.aclose()
    assert handler.names == ["c1-review-1"]


async def test_a_used_name_is_free_again_a_day_later(make_queue, clock):
    handler = Handler()
    queue = make_queue(handler, clock=clock)
    await queue.enqueue(task())
    await idle(queue)
    clock.move(hours=23)
    queue.wake()
    assert not await queue.enqueue(task())
    clock.move(hours=2)
    await queue.enqueue(task(seq=2))
    await idle(queue)
    assert await queue.enqueue(task())


async def test_an_outcome_that_cannot_be_recorded_is_recorded_later_without_a_second_delivery(
    make_queue, file, eventually, caplog
):
    handler = Handler()
    handler.gate.clear()
    queue = make_queue(handler)
    await queue.enqueue(task())
    await eventually(lambda: handler.busy)
    await file.fetch("PRAGMA query_only = ON")
    handler.gate.set()
    await eventually(lambda: "cannot record" in caplog.text)
    await file.fetch("PRAGMA query_only = OFF")
    await idle(queue)
    assert len(handler.calls) == 1


async def test_a_task_carries_the_headers_that_were_asked_for_when_it_was_queued(file, clock, eventually):
    handler, headers = Handler(200), {"traceparent": "the trace of the turn"}
    queue = EmbeddedTaskQueue(file, handler, clock, policy=FAST, headers=lambda: headers)
    await queue.enqueue(task())
    headers["traceparent"] = "a later one"
    queue.start()
    try:
        await queue.idle()
    finally:
        await queue.stop()
    ((_, carried, body),) = handler.calls
    assert carried["traceparent"] == "the trace of the turn"
    assert TaskPayload.model_validate_json(body) == task()
