"""What was accepted outlives the process."""

import asyncio
import re

import pytest
from google.api_core.exceptions import AlreadyExists
from google.cloud.tasks_v2.types import HttpRequest, OidcToken, Queue, Task

from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from shared.domain.errors import ConfigError
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import eventually
from tests.support.process import ReadyProcess
from tests.support.task_receiver import TaskReceiver
from tests.support.tasks_bench import QUEUE, client_of

EMAIL = "tasks@p.test"


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def signer(key, clock):
    return OidcSigner(key, clock)


@pytest.fixture
async def emulator_process(tmp_path):
    arguments = ["-m", "local.emulators.tasks", "--data", str(tmp_path / "data"), "--queue", QUEUE]
    process = ReadyProcess(arguments, {}, tmp_path / "emulator.log")
    try:
        await asyncio.to_thread(process.start)
        yield process
    finally:
        process.end()


async def client_and_calls(process):
    address = re.search(r"emulator at (\S+),", process.ready_line)
    return client_of(address[1])


async def test_a_killed_emulator_loses_no_task_and_no_name_and_keeps_its_key(emulator_process):
    async with TaskReceiver() as receiver:
        receiver.gate.clear()
        client = await client_and_calls(emulator_process)
        token = OidcToken(service_account_email=EMAIL, audience="a")

        async def create(task_id):
            request = HttpRequest(url=receiver.address, oidc_token=token)
            await client.create_task(parent=QUEUE, task=Task(name=f"{QUEUE}/tasks/{task_id}", http_request=request))

        await create("under-way")

        async def under_way():
            return receiver.busy > 0

        await eventually(under_way)
        await client.pause_queue(name=QUEUE)
        await create("waiting")
        await client.transport.close()
        emulator_process.kill()
        receiver.gate.set()
        await asyncio.to_thread(emulator_process.start)
        client = await client_and_calls(emulator_process)
        assert (await client.get_queue(name=QUEUE)).state == Queue.State.PAUSED
        with pytest.raises(AlreadyExists):
            await create("waiting")
        await client.resume_queue(name=QUEUE)

        async def all_came():
            return len(receiver.received) == 3

        await eventually(all_came)
        first, *later = receiver.received
        assert first.task == "under-way"
        assert sorted(request.task for request in later) == ["under-way", "waiting"]
        # the attempt that was under way at the end counts
        assert {request.task: request.headers["x-cloudtasks-taskretrycount"] for request in later} == {
            "under-way": "1",
            "waiting": "0",
        }
        keys = {request.headers["authorization"].split(".")[0] for request in receiver.received}
        assert len(keys) == 1
        await client.transport.close()


async def test_at_the_start_queues_take_over_their_settings_and_keep_their_tasks(file, clock, signer):
    async with TaskReceiver() as receiver:
        async with TasksEmulator(file, signer, clock, queues={QUEUE: QueueSettings()}) as emulator:
            client = client_of(emulator.address)
            task = Task(http_request=HttpRequest(url=receiver.address))
            task.schedule_time = clock.now().replace(hour=10)
            await client.create_task(parent=QUEUE, task=task)
            await client.create_queue(parent="projects/p/locations/l", queue=Queue(name=f"{QUEUE}2"))
            await client.transport.close()
        async with TasksEmulator(file, signer, clock, queues={QUEUE: QueueSettings(max_attempts=3)}) as emulator:
            client = client_of(emulator.address)
            assert (await client.get_queue(name=QUEUE)).retry_config.max_attempts == 3
            assert (await client.get_queue(name=f"{QUEUE}2")).retry_config.max_attempts == 100
            clock.advance(3600)
            emulator.wake()
            await emulator.idle()
            await client.transport.close()
        assert len(receiver.received) == 1


async def test_a_port_that_is_taken_is_a_config_error_and_lets_the_file_go(file, tmp_path, clock, signer):
    async with TasksEmulator(file, signer, clock) as emulator:
        port = int(emulator.address.rpartition(":")[2])
        second = TasksEmulator(tmp_path / "other" / "tasks.sqlite3", signer, clock, port=port)
        with pytest.raises(ConfigError, match=f"port {port}"):
            await second.start()
    assert await second.start() == f"127.0.0.1:{port}"
    await second.stop()
    await second.stop()
