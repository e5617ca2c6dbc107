"""An emulator, Google's own client for it, and a server that its tasks are posted to."""

from contextlib import AsyncExitStack
from datetime import timedelta

import grpc.aio
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from google.cloud.tasks_v2 import CloudTasksAsyncClient
from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcAsyncIOTransport
from google.cloud.tasks_v2.types import HttpRequest, Task

from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import eventually
from tests.support.task_receiver import TaskReceiver

QUEUE = "projects/p/locations/l/queues/q"


class Bench:
    """One emulator with one queue, as a test sees it."""

    def __init__(self, emulator, client, receiver, clock, signer):
        self.emulator = emulator
        self.client = client
        self.receiver = receiver
        self.clock = clock
        self.signer = signer

    async def create(self, task_id=None, *, queue=QUEUE, delay=None, **request):
        """Create a task for the receiver."""
        task = Task(http_request=HttpRequest(url=f"{self.receiver.address}/work", **request))
        if task_id is not None:
            task.name = f"{queue}/tasks/{task_id}"
        if delay is not None:
            task.schedule_time = self.clock.now() + timedelta(seconds=delay)
        return await self.client.create_task(parent=queue, task=task)

    async def get(self, task_id):
        return await self.client.get_task(name=f"{QUEUE}/tasks/{task_id}")

    async def received(self, count):
        """Wait until so many requests have come and their outcome is recorded, and return the tasks' ids."""

        async def enough():
            return len(self.receiver.received) >= count and not self.receiver.busy

        await eventually(enough, what=f"request {count}")
        return self.receiver.tasks

    async def failed(self, task_id, attempts):
        """Wait until so many attempts of a task have failed, and return it."""

        async def noted():
            task = await self.get(task_id)
            return task if task.dispatch_count == attempts and task.last_attempt.response_status.code else None

        return await eventually(noted, what=f"failure {attempts} of {task_id}")

    def pass_time(self, seconds):
        self.clock.advance(seconds)
        self.emulator.wake()


def client_of(address):
    channel = grpc.aio.insecure_channel(address)
    return CloudTasksAsyncClient(transport=CloudTasksGrpcAsyncIOTransport(channel=channel))


@pytest.fixture(scope="session")
def key():
    """To make one takes a while."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tasks" / "tasks.sqlite3"


@pytest.fixture
async def open_bench(file, key):
    """Start an emulator with a queue of these settings; all ends with the test."""
    async with AsyncExitStack() as stack:

        async def open_bench(*statuses, settings=None, disorder=None, clock=None):
            clock = clock or SettableClock()
            signer = OidcSigner(key, clock)
            receiver = await stack.enter_async_context(TaskReceiver(*statuses))
            queues = {QUEUE: settings or QueueSettings()}
            emulator = TasksEmulator(file, signer, clock, queues=queues, disorder=disorder)
            await emulator.start()
            stack.push_async_callback(emulator.stop, 0)
            client = client_of(emulator.address)
            stack.push_async_callback(client.transport.close)
            return Bench(emulator, client, receiver, clock, signer)

        yield open_bench


@pytest.fixture
async def bench(open_bench):
    return await open_bench()
