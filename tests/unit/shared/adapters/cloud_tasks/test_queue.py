import asyncio
import logging
import time
from contextlib import AsyncExitStack
from datetime import timedelta

import grpc
import grpc.aio
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from google.cloud.tasks_v2.types import CreateTaskRequest, Task

from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from shared.adapters.cloud_tasks import Route, connect, queue_path
from shared.adapters.cloud_tasks.calls import DISPATCH_DEADLINE, RPC_SECONDS
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import ConfigError, StoreUnavailable
from shared.engine.enqueue import ENQUEUE_SECONDS
from shared.engine.jobs import JOB_SECONDS
from tests.fakes.settable_clock import SettableClock
from tests.support.tasks_bench import client_of

ACCOUNT = "tasks@p.iam.gserviceaccount.test"
SLOW_MACHINE_S = 5.0
"""Far below the minute that gRPC would wait by itself."""
QUEUES = {kind: queue_path("p", "asia-northeast3", f"{kind.value}-queue") for kind in JobKind}


def routes():
    return {
        kind: Route(queue=queue, url=f"https://{kind.value}.test/", audience=f"https://{kind.value}.test")
        for kind, queue in QUEUES.items()
    }


def task(seq=1, kind=JobKind.SUPERVISE):
    return TaskPayload(conversation_id="c1", kind=kind, seq=seq, state_version=3)


class Answers:
    """A Cloud Tasks that answers as it is told, the last way for ever; None is success."""

    def __init__(self, *codes):
        self.codes = list(codes)
        self.calls = 0

    async def create_task(self, request, context):
        self.calls += 1
        code = self.codes.pop(0) if len(self.codes) > 1 else self.codes[0]
        if code is not None:
            await context.abort(code, "said so")
        return request.task

    async def start(self):
        method = grpc.unary_unary_rpc_method_handler(self.create_task, CreateTaskRequest.deserialize, Task.serialize)
        handler = grpc.method_handlers_generic_handler("google.cloud.tasks.v2.CloudTasks", {"CreateTask": method})
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((handler,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        return server, f"127.0.0.1:{port}"


@pytest.fixture
async def stack():
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
def clock():
    return SettableClock()


@pytest.fixture
def open_queue(stack, clock):
    def open_queue(address, **options):
        queue = connect(routes(), ACCOUNT, clock, emulator=address, **options)
        stack.push_async_callback(queue.aclose)
        return queue

    return open_queue


@pytest.fixture
def answering(stack, open_queue):
    """Open a queue on a Cloud Tasks that gives these answers."""

    async def answering(*codes):
        answers = Answers(*codes)
        server, address = await answers.start()
        stack.push_async_callback(server.stop, 0)
        return open_queue(address), answers

    return answering


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
async def emulator(stack, tmp_path, clock, key):
    """All queues, and nothing is delivered."""
    queues = dict.fromkeys(QUEUES.values(), QueueSettings())
    emulator = TasksEmulator(tmp_path / "tasks" / "tasks.sqlite3", OidcSigner(key, clock), clock, queues=queues)
    await emulator.start()
    stack.push_async_callback(emulator.stop, 0)
    emulator.hold()
    return emulator


async def stored(emulator, payload):
    """The task as Cloud Tasks has it."""
    client = client_of(emulator.address)
    name = f"{QUEUES[payload.kind]}/tasks/{payload.name}"
    try:
        return await client.get_task(name=name)
    finally:
        await client.transport.close()


async def test_a_task_is_a_signed_post_of_its_payload_to_the_function_of_its_kind(emulator, open_queue, clock):
    queue = open_queue(emulator.address, headers=lambda: {"traceparent": "00-ab"})
    for kind in JobKind:
        assert await queue.enqueue(task(kind=kind), delay=timedelta(minutes=5))
        made = await stored(emulator, task(kind=kind))
        request = made.http_request
        assert (request.http_method.name, request.url) == ("POST", f"https://{kind.value}.test/")
        assert dict(request.headers) == {"Content-Type": "application/json", "traceparent": "00-ab"}
        assert TaskPayload.model_validate_json(request.body) == task(kind=kind)
        token = request.oidc_token
        assert (token.service_account_email, token.audience) == (ACCOUNT, f"https://{kind.value}.test")
        assert (made.dispatch_deadline, made.schedule_time) == (DISPATCH_DEADLINE, clock.now() + timedelta(minutes=5))


async def test_a_service_that_is_away_for_a_moment_is_asked_again(answering):
    queue, answers = await answering(grpc.StatusCode.UNAVAILABLE, None)
    assert await queue.enqueue(task())
    assert answers.calls == 2


async def test_a_first_try_that_came_through_after_all_counts_as_taken_care_of(answering):
    queue, _ = await answering(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ALREADY_EXISTS)
    assert await queue.enqueue(task()) is False


PASSING = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.NOT_FOUND]
FOR_AN_OPERATOR = [grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT]


async def test_what_may_pass_is_an_unavailable_store(answering, caplog, subtests):
    for code in PASSING:
        with subtests.test(code=code):
            caplog.clear()
            queue, _ = await answering(code)
            with pytest.raises(StoreUnavailable) as raised:
                await queue.enqueue(task())
            assert raised.value.__cause__ is None
            assert [record.levelno for record in caplog.records] == [logging.WARNING]
            assert QUEUES[JobKind.SUPERVISE] in caplog.text


async def test_what_only_an_operator_can_mend_is_a_config_error_and_its_reason_is_logged(answering, caplog, subtests):
    for code in FOR_AN_OPERATOR:
        with subtests.test(code=code):
            caplog.clear()
            queue, answers = await answering(code)
            with pytest.raises(ConfigError, match="said so"):
                await queue.enqueue(task())
            assert answers.calls == 1
            assert [record.levelno for record in caplog.records] == [logging.ERROR]
            assert "said so" in caplog.text


async def test_a_service_that_never_answers_is_an_unavailable_store_soon(stack, open_queue):
    async def hold(_reader, writer):
        stack.callback(writer.close)

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    stack.callback(server.close)
    queue = open_queue(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        await queue.enqueue(task())
    assert time.monotonic() - began < ENQUEUE_SECONDS + SLOW_MACHINE_S


async def test_without_credentials_the_environment_is_said_to_be_wrong(monkeypatch, tmp_path, clock):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    queue = connect(routes(), ACCOUNT, clock)
    with pytest.raises(ConfigError, match="no valid credentials"):
        await queue.enqueue(task())
    await queue.aclose()


def test_a_handler_has_time_to_write_after_its_model_calls_and_a_turn_hears_the_queues_answer():
    assert DISPATCH_DEADLINE.total_seconds() > JOB_SECONDS
    assert RPC_SECONDS < ENQUEUE_SECONDS
