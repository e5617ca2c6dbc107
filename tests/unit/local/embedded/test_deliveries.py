"""The queue and the triggers of one machine: at least once, in time, with retries, over restarts."""

import asyncio
from datetime import timedelta

import pytest
from google.events.cloud.firestore import DocumentEventData

from local.background import local_invoker_auth
from local.embedded.database import SqliteDocumentDatabase
from local.embedded.delivery import DeliveryPolicy
from local.embedded.outbox import Outbox
from local.embedded.queue import EmbeddedTaskQueue
from local.embedded.sqlite_file import SqliteFile
from local.embedded.triggers import TriggerDispatcher
from shared.adapters.system_clock import SystemClock
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import DocumentExists
from shared.engine.jobs import CreatedDocument
from shared.observability.formats import TextFormatter
from shared.ports.document_writes import Create, Put, ReplaceDocument
from tests.support.polling import until

FAST = DeliveryPolicy(max_attempts=4, first_delay_s=0.002, max_delay_s=0.01)
PATTERNS = {
    "transition": "sessions/{conversation_id}/part_transitions/{transition}",
    "feedback": "sessions/{conversation_id}/planner_feedback/{feedback}",
}
PATH = "sessions/c1/part_transitions/1-2"

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
    """Answers with the given statuses, repeating the last one; `gate` holds the answers."""

    def __init__(self, *statuses):
        self.statuses = list(statuses) or [200]
        self.calls = []
        self.busy = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, kind, headers, body):
        self.calls.append((kind, headers, body))
        self.busy += 1
        try:
            await self.gate.wait()
        finally:
            self.busy -= 1
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if isinstance(status, BaseException):
            raise status
        return status

    def headers(self, name):
        return [headers[name] for _, headers, _ in self.calls]


async def idle(queue):
    async with asyncio.timeout(10):
        await queue.idle()


def test_the_retry_delay_doubles_and_then_grows_linearly_to_its_limit_until_the_last_attempt():
    policy = DeliveryPolicy(max_attempts=-1, first_delay_s=10, max_doublings=2, max_delay_s=150)
    assert [policy.delay(n).total_seconds() for n in range(1, 7)] == [10, 20, 40, 80, 120, 150]
    never = DeliveryPolicy(max_attempts=5, first_delay_s=10, max_doublings=0, max_delay_s=35)
    assert [never.delay(n).total_seconds() for n in range(1, 5)] == [10, 20, 30, 35]
    assert never.delay(5) is None
    assert policy.delay(10**6).total_seconds() == 150


class TestQueue:
    @pytest.fixture
    async def file(self, file_path):
        file = await SqliteFile.open(file_path)
        yield file
        await file.aclose()

    @pytest.fixture
    async def make_queue(self, file):
        queues = []

        def make_queue(handler, *, clock=None, start=True, policy=FAST, **options):
            queue = EmbeddedTaskQueue(file, handler, clock or SystemClock(), policy=policy, **options)
            queues.append(queue)
            if start:
                queue.start()
            return queue

        yield make_queue
        for queue in queues:
            await queue.stop(grace_s=0.01)

    async def states(self, file):
        return dict(await file.fetch("SELECT id, state FROM tasks"))

    async def test_a_task_is_delivered_with_cloud_tasks_headers_and_the_trace_of_its_enqueueing(self, make_queue):
        handler, trace = Handler(), {"traceparent": "the trace of the turn"}
        queue = make_queue(handler, headers=lambda: trace, start=False)
        await queue.enqueue(task(seq=7, kind=JobKind.PLAN))
        trace["traceparent"] = "a later one"
        queue.start()
        await idle(queue)
        ((kind, headers, body),) = handler.calls
        assert kind is JobKind.PLAN
        assert TaskPayload.model_validate_json(body) == task(seq=7, kind=JobKind.PLAN)
        assert headers == {
            "traceparent": "the trace of the turn",
            "Content-Type": "application/json",
            "X-CloudTasks-QueueName": "cbot",
            "X-CloudTasks-TaskName": "c1-plan-7",
            "X-CloudTasks-TaskRetryCount": "0",
            "X-CloudTasks-TaskExecutionCount": "0",
        }

    async def test_a_delivery_is_retried_until_a_2xx_and_exceptions_are_logged(self, make_queue, file, caplog):
        handler = Handler(503, ZeroDivisionError("boom"), asyncio.CancelledError(), 404, 204)
        queue = make_queue(handler, policy=DeliveryPolicy(first_delay_s=0.002))
        await queue.enqueue(task())
        await idle(queue)
        assert handler.headers("X-CloudTasks-TaskRetryCount") == ["0", "1", "2", "3", "4"]
        # a response of 5xx counts as a retry, not as an execution
        assert handler.headers("X-CloudTasks-TaskExecutionCount") == ["0", "0", "0", "0", "1"]
        assert await self.states(file) == {"c1-supervise-1": "done"}
        broken = [record.exc_info[0] for record in caplog.records if "broke off" in record.getMessage()]
        assert broken == [ZeroDivisionError, asyncio.CancelledError]

    async def test_a_task_is_given_up_and_logged_after_the_last_attempt_and_its_name_stays_used(
        self, make_queue, file, caplog
    ):
        handler = Handler(503)
        queue = make_queue(handler)
        await queue.enqueue(task())
        await idle(queue)
        assert len(handler.calls) == FAST.max_attempts
        assert await self.states(file) == {"c1-supervise-1": "failed"}
        assert [TextFormatter().format(record) for record in caplog.records][-2:] == [
            "WARNING local.embedded.delivery: delivery c1-supervise-1 failed: 503; attempt 4 in 0.0 s",
            "ERROR local.embedded.delivery: delivery c1-supervise-1 given up after 4 attempts: 503",
        ]
        assert not await queue.enqueue(task())

    async def test_an_attempt_past_its_deadline_is_tried_again(self, make_queue):
        handler = Handler()
        handler.gate.clear()
        queue = make_queue(handler, policy=DeliveryPolicy(deadline_s=0.02, first_delay_s=0.001))
        await queue.enqueue(task())
        await until(lambda: len(handler.calls) >= 2)
        handler.gate.set()
        await idle(queue)
        assert handler.busy == 0

    async def test_a_delayed_task_is_delivered_on_time_and_its_name_is_free_a_day_later(self, make_queue, clock):
        handler = Handler()
        queue = make_queue(handler, clock=clock)
        await queue.enqueue(task(), delay=timedelta(minutes=10))
        await queue.enqueue(task(seq=2))
        await idle(queue)
        assert handler.headers("X-CloudTasks-TaskName") == ["c1-supervise-2"]
        clock.advance(11 * 60)
        queue.wake()
        await idle(queue)
        assert handler.headers("X-CloudTasks-TaskName") == ["c1-supervise-2", "c1-supervise-1"]
        clock.advance(23 * 3600)
        queue.wake()
        assert not await queue.enqueue(task())
        clock.advance(2 * 3600)
        await queue.enqueue(task(seq=3))
        await idle(queue)
        assert await queue.enqueue(task())

    async def test_stopping_waits_for_the_running_delivery(self, make_queue, file):
        handler = Handler()
        handler.gate.clear()
        queue = make_queue(handler)
        await queue.enqueue(task())
        await until(lambda: handler.busy)
        stopping = asyncio.create_task(queue.stop())
        await asyncio.sleep(0)
        handler.gate.set()
        await stopping
        assert await self.states(file) == {"c1-supervise-1": "done"}

    async def test_a_task_in_flight_at_a_sigkill_is_delivered_again(self, spawn, file_path):
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
        assert handler.headers("X-CloudTasks-TaskName") == ["c1-review-1"]

    async def test_an_outcome_that_cannot_be_recorded_is_recorded_later_without_a_second_delivery(
        self, make_queue, file, caplog
    ):
        handler = Handler()
        handler.gate.clear()
        queue = make_queue(handler)
        await queue.enqueue(task())
        await until(lambda: handler.busy)
        await file.fetch("PRAGMA query_only = ON")
        handler.gate.set()
        await until(lambda: "cannot record" in caplog.text)
        await file.fetch("PRAGMA query_only = OFF")
        await idle(queue)
        assert len(handler.calls) == 1


class TestTriggers:
    @pytest.fixture
    def outbox(self):
        return Outbox(PATTERNS, SystemClock())

    @pytest.fixture
    async def database(self, file_path, outbox):
        database = await SqliteDocumentDatabase.open(file_path, outbox=outbox)
        yield database
        await database.aclose()

    @pytest.fixture
    async def delivered(self, database, outbox):
        """Start a dispatcher, wait until every event is delivered, and return the handler."""
        dispatchers = []

        async def delivered(*statuses, database=database, outbox=outbox):
            handler = Handler(*statuses)
            dispatcher = TriggerDispatcher(database.file, outbox, handler, SystemClock(), project="demo", policy=FAST)
            dispatchers.append(dispatcher)
            dispatcher.start()
            await idle(dispatcher)
            return handler

        yield delivered
        for dispatcher in dispatchers:
            await dispatcher.stop(grace_s=0.01)

    async def pending(self, database):
        return [row[0] for row in await database.file.fetch("SELECT payload ->> 'path' FROM outbox ORDER BY rowid")]

    async def test_a_created_document_is_announced_as_a_binary_cloud_event_that_the_functions_read(
        self, database, delivered
    ):
        await database.commit([Create(PATH, {"to": 2})])
        ((trigger_id, headers, body),) = (await delivered()).calls
        assert local_invoker_auth("demo").created(headers, body) == CreatedDocument("c1", "part_transitions", "1-2")
        assert trigger_id == "transition"
        assert (headers["ce-type"], headers["ce-document"]) == ("google.cloud.firestore.document.v1.created", PATH)
        named = DocumentEventData.deserialize(body).value.name
        assert named == f"projects/demo/databases/(default)/documents/{PATH}"

    async def test_only_a_successful_creation_that_fits_a_pattern_is_an_event(self, database):
        for path in (
            *("sessions/c1", "sessions/c1/turns/1", "sessions/c1/part_transitions/1/deeper/2"),
            "other/x/sessions/c1/part_transitions/1",
        ):
            await database.commit([Create(path, {})])
        with pytest.raises(DocumentExists):
            await database.commit([Create(PATH, {}), Create("sessions/c1", {})])
        assert await self.pending(database) == []
        (version,) = await database.commit([Put(PATH, {})])
        await database.commit([ReplaceDocument(PATH, {"n": 1}, version)])
        await database.commit([Put(PATH, {"n": 2})])
        assert await self.pending(database) == [PATH]

    async def test_an_event_is_delivered_under_the_same_id_until_the_handler_accepts_it(self, database, delivered):
        await database.commit([Create(PATH, {})])
        handler = await delivered(503, RuntimeError("boom"), 204)
        assert len(handler.calls) == 3
        assert len(set(handler.headers("ce-id"))) == 1
        assert await self.pending(database) == []

    async def test_events_from_before_a_restart_are_delivered_after_it(self, file_path, database, outbox, delivered):
        await database.commit([Create(PATH, {})])
        await database.aclose()
        again = await SqliteDocumentDatabase.open(file_path, outbox=outbox)
        assert (await delivered(database=again)).headers("ce-document") == [PATH]
        await again.aclose()
