import asyncio
import logging
import time
from contextlib import AsyncExitStack
from datetime import timedelta

import grpc
import grpc.aio
import pytest
from google.cloud.tasks_v2.types import CreateTaskRequest, Task

from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from shared.adapters.cloud_tasks import Route, connect, queue_path
from shared.adapters.cloud_tasks.calls import DISPATCH_DEADLINE, LONGEST_DEADLINE, RPC_SECONDS
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import ConfigError, StoreUnavailable
from shared.engine.enqueue import ENQUEUE_SECONDS
from shared.engine.jobs import JOB_SECONDS
from tests.fakes.settable_clock import SettableClock
from tests.support.tasks_bench import client_of

ACCOUNT = "tasks@p.iam.gserviceaccount.test"
SLOW_MACHINE_S = 5.0
"""Far below the minute that gRPC waits by default."""
QUEUES = {kind: queue_path("p", "asia-northeast3", f"{kind.value}-queue") for kind in JobKind}
ROUTES = {
    kind: Route(queue=queue, url=f"https://{kind.value}.test/", audience=f"https://{kind.value}.test")
    for kind, queue in QUEUES.items()
}


def task(kind=JobKind.SUPERVISE):
    return TaskPayload(conversation_id="c1", kind=kind, seq=1, state_version=3)


class Answers:
    """A Cloud Tasks server that returns the given statuses and repeats the last one; None is success."""

    def __init__(self, *codes):
        self.codes = list(codes)
        self.calls = 0

    async def create_task(self, request, context):
        self.calls += 1
        code = self.codes.pop(0) if len(self.codes) > 1 else self.codes[0]
        if code is not None:
            await context.abort(code, "said so")
        return request.task


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
        queue = connect(ROUTES, ACCOUNT, clock, emulator=address, **options)
        stack.push_async_callback(queue.aclose)
        return queue

    return open_queue


@pytest.fixture
def answering(stack, open_queue):
    async def answering(*codes):
        answers, server = Answers(*codes), grpc.aio.server()
        method = grpc.unary_unary_rpc_method_handler(answers.create_task, CreateTaskRequest.deserialize, Task.serialize)
        handler = grpc.method_handlers_generic_handler("google.cloud.tasks.v2.CloudTasks", {"CreateTask": method})
        server.add_generic_rpc_handlers((handler,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        stack.push_async_callback(server.stop, 0)
        return open_queue(f"127.0.0.1:{port}"), answers

    return answering


@pytest.mark.parametrize(
    ("patience", "deadline"), [(1, DISPATCH_DEADLINE), (4, 4 * DISPATCH_DEADLINE), (99, LONGEST_DEADLINE)]
)
async def test_a_task_is_a_signed_post_of_its_payload_to_the_function_of_its_kind(
    stack, tmp_path, open_queue, clock, patience, deadline
):
    signer, queues = OidcSigner.generated(clock), dict.fromkeys(QUEUES.values(), QueueSettings())
    emulator = await stack.enter_async_context(TasksEmulator(tmp_path / "tasks.sqlite3", signer, clock, queues=queues))
    emulator.hold()
    client = client_of(emulator.address)
    stack.push_async_callback(client.transport.close)
    queue = open_queue(emulator.address, headers=lambda: {"traceparent": "00-ab"}, patience=patience)
    for kind in JobKind:
        assert await queue.enqueue(task(kind=kind), delay=timedelta(minutes=5))
        made = await client.get_task(name=f"{QUEUES[kind]}/tasks/{task(kind=kind).name}")
        request = made.http_request
        assert (request.http_method.name, request.url) == ("POST", f"https://{kind.value}.test/")
        assert dict(request.headers) == {"Content-Type": "application/json", "traceparent": "00-ab"}
        assert TaskPayload.model_validate_json(request.body) == task(kind=kind)
        token = request.oidc_token
        assert (token.service_account_email, token.audience) == (ACCOUNT, f"https://{kind.value}.test")
        assert (made.dispatch_deadline, made.schedule_time) == (deadline, clock.now() + timedelta(minutes=5))


async def test_enqueue_is_retried_after_a_short_outage(answering):
    queue, answers = await answering(grpc.StatusCode.UNAVAILABLE, None)
    assert await queue.enqueue(task())
    assert answers.calls == 2


async def test_enqueue_returns_false_if_a_retry_finds_the_task_of_the_first_try(answering):
    queue, _ = await answering(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ALREADY_EXISTS)
    assert await queue.enqueue(task()) is False


async def test_a_transient_status_raises_store_unavailable_and_is_logged_as_a_warning(answering, caplog, subtests):
    for code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.NOT_FOUND):
        with subtests.test(code=code):
            caplog.clear()
            queue, _ = await answering(code)
            with pytest.raises(StoreUnavailable) as raised:
                await queue.enqueue(task())
            assert raised.value.__cause__ is None
            assert [record.levelno for record in caplog.records] == [logging.WARNING]
            assert QUEUES[JobKind.SUPERVISE] in caplog.text


async def test_a_permission_or_argument_error_raises_config_error_and_logs_its_reason(answering, caplog, subtests):
    for code in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT):
        with subtests.test(code=code):
            caplog.clear()
            queue, answers = await answering(code)
            with pytest.raises(ConfigError, match="said so"):
                await queue.enqueue(task())
            assert answers.calls == 1
            assert [record.levelno for record in caplog.records] == [logging.ERROR]
            assert "said so" in caplog.text


async def test_a_service_that_never_answers_raises_store_unavailable_within_the_time_limit(stack, open_queue):
    async def hold(_reader, writer):
        stack.callback(writer.close)

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    stack.callback(server.close)
    queue = open_queue(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        await queue.enqueue(task())
    assert time.monotonic() - began < ENQUEUE_SECONDS + SLOW_MACHINE_S


async def test_missing_credentials_raise_config_error(monkeypatch, tmp_path, clock):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    queue = connect(ROUTES, ACCOUNT, clock)
    with pytest.raises(ConfigError, match="no valid credentials"):
        await queue.enqueue(task())
    await queue.aclose()


def test_the_dispatch_deadline_exceeds_a_job_and_the_rpc_timeout_is_below_the_enqueue_limit():
    assert DISPATCH_DEADLINE.total_seconds() > JOB_SECONDS
    assert RPC_SECONDS < ENQUEUE_SECONDS
