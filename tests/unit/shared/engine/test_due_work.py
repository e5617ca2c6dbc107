import asyncio
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.contracts.events import Done, Failed
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import NotFound, StoreUnavailable
from shared.engine.enqueue import HEAD_START_SECONDS, begin_enqueueing, enqueue_due
from shared.engine.event_stream import EventStream
from shared.engine.jobs import JobResult
from shared.engine.overdue import marked
from shared.engine.waiting import answer_waiting
from tests.builders.sessions import NOW, session
from tests.builders.small_service import FailingStore, SmallHouse
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.virtual_time import in_virtual_time

LATER = NOW + timedelta(minutes=5)
WORK = [
    TaskPayload(conversation_id="c1", kind=kind, seq=1, state_version=1) for kind in (JobKind.CLOSE, JobKind.REVIEW)
]


class TestQueueing:
    async def test_skips_only_the_tasks_that_the_queue_refuses(self, caplog):
        queue = MemoryTaskQueue()
        await enqueue_due(queue, WORK)
        assert queue.payloads == WORK

        queue = FailingStore(MemoryTaskQueue(), "enqueue", StoreUnavailable())
        await enqueue_due(queue, WORK)
        assert queue.payloads == WORK[1:]
        assert "enqueue_failed task=c1-close-1 error=store_unavailable" in caplog.text

    def test_waits_half_a_second_for_a_slow_queue_and_finishes_in_the_background(self):
        class Slow(MemoryTaskQueue):
            async def enqueue(self, payload, **delay):
                await asyncio.sleep(2)
                return await super().enqueue(payload)

        queue = Slow()

        async def story():
            enqueueing = await begin_enqueueing(queue, WORK)
            waited = asyncio.get_running_loop().time()
            await enqueueing
            return waited

        assert in_virtual_time(story()) == HEAD_START_SECONDS
        assert queue.payloads == WORK


def test_a_session_is_marked_overdue_from_when_work_fell_due_until_none_is_due():
    class Counting(SmallHouse):
        """Supervision is due from the third message on."""

        def overdue(self, state):
            self.due_kinds = [JobKind.SUPERVISE] * (state.message_count >= 3)
            return super().overdue(state)

    def mark(before, after, now, swept=0, **more):
        new = session(message_count=after, swept=swept, **more)
        found = marked(Counting(), session(message_count=before, swept=swept), new, now)
        return found.due_since, found.swept

    assert mark(0, 3, NOW) == (NOW, 0)
    assert mark(0, 4, LATER, due_since=NOW) == (NOW, 0)
    assert mark(0, 0, LATER, due_since=NOW) == (None, 0)
    put_off = LATER + timedelta(days=1)
    assert mark(0, 3, NOW, swept=6, due_since=put_off) == (NOW, 0), "new work does not inherit the pauses of old work"
    assert mark(3, 3, NOW, swept=6, due_since=put_off) == (put_off, 6)


@pytest.mark.parametrize(
    ("resumed", "result"),
    [
        (Done.model_construct(), JobResult.DONE),
        (Failed(code="store_unavailable", detail="", retryable=True), JobResult.RETRY),
        (Failed(code="store_unavailable", detail="", retryable=False), JobResult.DONE),
        (None, JobResult.MOOT),
        (NotFound("conversation"), JobResult.MOOT),
    ],
)
async def test_answering_a_waiting_message_is_retried_only_after_a_retryable_failure(resumed, result):
    async def resume(_conversation_id):
        if isinstance(resumed, Exception):
            raise resumed
        if resumed is None:
            return None
        stream = EventStream()
        stream.emit(resumed)
        return stream

    task = TaskPayload(conversation_id="c1", kind=JobKind.ANSWER, seq=4, state_version=0)
    assert await answer_waiting(SimpleNamespace(resume=resume), task) is result
