"""A Cloud Tasks emulator as a test sees it, through Google's own client."""

from datetime import timedelta

import grpc.aio
from google.cloud.tasks_v2 import CloudTasksAsyncClient
from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcAsyncIOTransport
from google.cloud.tasks_v2.types import HttpRequest, Task

from tests.support.polling import eventually

QUEUE = "projects/p/locations/l/queues/q"


class Bench:
    def __init__(self, emulator, client, receiver, clock, signer):
        self.emulator = emulator
        self.client = client
        self.receiver = receiver
        self.clock = clock
        self.signer = signer

    async def create(self, task_id=None, *, queue=QUEUE, delay=None, **request):
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
