import asyncio

from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import StoreUnavailable
from shared.engine.enqueue import HEAD_START_SECONDS, begin_enqueueing, enqueue_due
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.virtual_time import in_virtual_time

WORK = [
    TaskPayload(conversation_id="c1", kind=kind, seq=1, state_version=1) for kind in (JobKind.CLOSE, JobKind.REVIEW)
]


async def test_all_due_work_is_queued():
    queue = MemoryTaskQueue()
    await enqueue_due(queue, WORK)
    assert queue.payloads == WORK


async def test_work_that_the_queue_refuses_does_not_keep_the_rest_back(caplog):
    queue = MemoryTaskQueue()

    class Picky:
        async def enqueue(self, payload, **delay):
            if payload.kind is JobKind.CLOSE:
                raise StoreUnavailable
            await queue.enqueue(payload)

    await enqueue_due(Picky(), WORK)

    assert queue.payloads == WORK[1:]
    assert "enqueue_failed task=c1-close-1 error=store_unavailable" in caplog.text


async def test_a_queue_that_hangs_is_left_alone(caplog):
    class Hanging:
        async def enqueue(self, payload, **delay):
            await asyncio.Event().wait()

    await enqueue_due(Hanging(), WORK, seconds=0.01)

    assert "enqueue_slow" in caplog.text


def test_a_slow_queue_is_waited_for_half_a_second_and_gets_the_work_all_the_same():
    queue = MemoryTaskQueue()

    class Slow:
        async def enqueue(self, payload, **delay):
            await asyncio.sleep(2)
            return await queue.enqueue(payload)

    async def story():
        enqueueing = await begin_enqueueing(Slow(), WORK)
        waited = asyncio.get_running_loop().time()
        await enqueueing
        return waited

    assert in_virtual_time(story()) == HEAD_START_SECONDS
    assert queue.payloads == WORK
