"""Attempts that the delivery loop makes of stored tasks, without the limits of the service before them."""

from datetime import timedelta

import pytest
from google.cloud.tasks_v2.types import HttpMethod, HttpRequest, Task

from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile
from local.emulators.signing import OidcSigner
from local.emulators.tasks.dispatch import Dispatcher
from local.emulators.tasks.queue_store import SCHEMA
from local.emulators.tasks.task_store import TaskStore
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import eventually
from tests.support.task_receiver import TaskReceiver
from tests.support.tasks_bench import QUEUE


@pytest.fixture
async def store(file):
    opened = await SqliteFile.open(file, schema=SCHEMA)
    yield TaskStore(opened, QUEUE)
    await opened.aclose()


@pytest.fixture
def clock():
    return SettableClock()


async def test_an_attempt_past_the_tasks_own_deadline_is_cut_and_tried_again(store, clock, key):
    dispatcher = Dispatcher(OidcSigner(key, clock))
    loop = DeliveryLoop(store, dispatcher.send, clock, DeliveryPolicy(first_delay_s=1))
    async with TaskReceiver() as receiver:
        receiver.gate.clear()
        request = HttpRequest(url=receiver.address, http_method=HttpMethod.POST)
        task = Task(name=f"{QUEUE}/tasks/t1", http_request=request, dispatch_deadline=timedelta(milliseconds=30))
        task.schedule_time = clock.now()
        await store.add(task, clock.now())
        loop.start()

        async def cut():
            stored = await store.get(task.name)
            return stored.retry_reason or None

        assert await eventually(cut) == "DEADLINE_EXCEEDED(4): no response by the dispatch deadline"
        receiver.gate.set()
        clock.advance(1)
        loop.wake()
        await loop.idle()
        assert receiver.received[-1].headers["x-cloudtasks-taskretrycount"] == "1"
        await loop.stop()
    await dispatcher.aclose()
