"""The contract of `TaskQueue`. To add a queue, add its opener to `OPENERS`.

An opener yields the queue and `delivered`, which returns the tasks that were delivered since the last call.
"""

import asyncio
import tempfile
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from local.embedded.queue import EmbeddedTaskQueue
from local.embedded.sqlite_file import SqliteFile
from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from shared.adapters.cloud_tasks import Route, connect, queue_path
from shared.adapters.system_clock import SystemClock
from shared.contracts.tasks import JobKind, TaskPayload
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.support.task_receiver import TaskReceiver


@asynccontextmanager
async def memory():
    queue = MemoryTaskQueue()

    async def delivered():
        return queue.take()

    yield queue, delivered


@asynccontextmanager
async def embedded():
    received = []

    async def deliver(kind, headers, body):
        received.append(TaskPayload.model_validate_json(body))
        return 204

    with tempfile.TemporaryDirectory() as directory:
        file = await SqliteFile.open(Path(directory) / "cbot.sqlite3")
        queue = EmbeddedTaskQueue(file, deliver, SystemClock())
        queue.start()

        async def delivered():
            async with asyncio.timeout(10):
                await queue.idle()
            taken = received[:]
            received.clear()
            return taken

        yield queue, delivered
        await queue.stop()
        await file.aclose()


@asynccontextmanager
async def cloud_tasks():
    clock, name = SystemClock(), queue_path("p", "l", "q")
    signer = OidcSigner.generated(clock)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tasks.sqlite3"
        async with TaskReceiver() as receiver, TasksEmulator(file, signer, clock, queues={name: QueueSettings()}) as on:
            route = Route(queue=name, url=receiver.address, audience=receiver.address)
            queue = connect(dict.fromkeys(JobKind, route), "tasks@p.test", clock, emulator=on.address)

            async def delivered():
                async with asyncio.timeout(10):
                    await on.idle()
                return [TaskPayload.model_validate_json(request.body) for request in receiver.take()]

            try:
                yield queue, delivered
            finally:
                await queue.aclose()


OPENERS = {"memory": memory, "embedded": embedded, "cloud_tasks": cloud_tasks}


@pytest.fixture(params=OPENERS)
async def opened(request):
    async with OPENERS[request.param]() as opened:
        yield opened


@pytest.fixture
def queue(opened):
    return opened[0]


@pytest.fixture
def delivered(opened):
    return opened[1]


def task(seq=1, kind=JobKind.SUPERVISE, conversation_id="c1", state_version=1):
    return TaskPayload(conversation_id=conversation_id, kind=kind, seq=seq, state_version=state_version)


async def test_a_task_is_delivered_once_and_its_name_is_refused_afterwards(queue, delivered):
    assert await queue.enqueue(task())
    assert await delivered() == [task()]
    assert not await queue.enqueue(task(state_version=2))
    assert await delivered() == []


async def test_the_name_of_a_waiting_task_is_refused(queue, delivered):
    assert await queue.enqueue(task(), delay=timedelta(milliseconds=50))
    assert not await queue.enqueue(task(state_version=2))


async def test_tasks_that_differ_in_conversation_kind_or_seq_are_different(queue, delivered):
    tasks = [task(), task(seq=2), task(kind=JobKind.REVIEW), task(conversation_id="c2")]
    assert [await queue.enqueue(one) for one in tasks] == [True] * 4
    assert sorted(one.name for one in await delivered()) == sorted(one.name for one in tasks)


async def test_exactly_one_of_fifty_concurrent_enqueues_of_one_task_succeeds(queue, delivered):
    accepted = await asyncio.gather(*(queue.enqueue(task(state_version=n)) for n in range(50)))
    assert accepted.count(True) == 1
    assert [one.state_version for one in await delivered()] == [accepted.index(True)]
