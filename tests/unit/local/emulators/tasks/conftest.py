"""An emulator, Google's own client for it, and a server that its tasks are posted to."""

from contextlib import AsyncExitStack

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from tests.fakes.settable_clock import SettableClock
from tests.support.task_receiver import TaskReceiver
from tests.support.tasks_bench import QUEUE, Bench, client_of


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
