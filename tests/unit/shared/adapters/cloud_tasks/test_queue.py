"""What reaches Cloud Tasks, and what callers meet when it fails."""

import asyncio
import logging
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from datetime import timedelta
from itertools import count

import grpc
import grpc.aio
import pytest
from google.cloud.tasks_v2.types import CreateTaskRequest, Task

from local.emulators.signing import OidcSigner
from local.emulators.tasks import QueueSettings, TasksEmulator
from shared.adapters.cloud_tasks import Route, connect, queue_path
from shared.adapters.cloud_tasks.calls import DISPATCH_DEADLINE, RPC_SECONDS
from shared.adapters.cloud_tasks.connection import TasksClientHolder
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import ConfigError, StoreUnavailable
from shared.engine.enqueue import ENQUEUE_SECONDS
from shared.engine.jobs import JOB_SECONDS
from tests.fakes.settable_clock import SettableClock
from tests.support.process import ROOT
from tests.support.tasks_bench import client_of

ACCOUNT = "tasks@p.iam.gserviceaccount.test"
SLOW_MACHINE_S = 5.0
"""Far below the minute that gRPC would wait by itself."""
QUEUES = {kind: queue_path("p", "asia-northeast3", f"{kind.value}-queue") for kind in JobKind}
URLS = {kind: f"https://{kind.value}.test" for kind in JobKind}
ROUTES = {kind: Route(queue=QUEUES[kind], url=f"{URLS[kind]}/", audience=URLS[kind]) for kind in JobKind}
CODE = grpc.StatusCode


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
    def open_queue(address, routes=ROUTES, **options):
        queue = connect(routes, ACCOUNT, clock, emulator=address, **options)
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


@pytest.fixture
def make_emulator(tmp_path, clock):
    """Return how to make an emulator of all queues, over one file."""
    queues, signer = dict.fromkeys(QUEUES.values(), QueueSettings()), OidcSigner.generated(clock)
    file = tmp_path / "tasks" / "tasks.sqlite3"
    return lambda port=0: TasksEmulator(file, signer, clock, queues=queues, port=port)


@pytest.fixture
async def emulator(stack, make_emulator):
    """All queues, paused: nothing is delivered."""
    emulator = make_emulator()
    await emulator.start()
    stack.push_async_callback(emulator.stop, 0)
    client = client_of(emulator.address)
    for queue in QUEUES.values():
        await client.pause_queue(name=queue)
    await client.transport.close()
    return emulator


async def stored(emulator, payload):
    """Return the task as Cloud Tasks has it."""
    client = client_of(emulator.address)
    name = f"{QUEUES[payload.kind]}/tasks/{payload.name}"
    try:
        return await client.get_task(request={"name": name, "response_view": Task.View.FULL})
    finally:
        await client.transport.close()


async def test_a_task_is_a_signed_post_of_its_payload_to_the_function_of_its_kind(emulator, open_queue, clock):
    traces = count(1)
    queue = open_queue(emulator.address, headers=lambda: {"traceparent": f"00-{next(traces)}"})
    for number, kind in enumerate(JobKind, 1):
        assert await queue.enqueue(task(kind=kind))
        made = await stored(emulator, task(kind=kind))
        request, token = made.http_request, made.http_request.oidc_token
        assert (request.http_method.name, request.url) == ("POST", f"{URLS[kind]}/")
        assert dict(request.headers) == {"Content-Type": "application/json", "traceparent": f"00-{number}"}
        assert TaskPayload.model_validate_json(request.body) == task(kind=kind)
        assert (token.service_account_email, token.audience) == (ACCOUNT, URLS[kind])
        assert (made.dispatch_deadline, made.schedule_time) == (DISPATCH_DEADLINE, clock.now())
    await queue.enqueue(task(2), delay=timedelta(minutes=5))
    assert (await stored(emulator, task(2))).schedule_time == clock.now() + timedelta(minutes=5)


async def test_first_tasks_at_once_share_one_connection(emulator):
    holder = TasksClientHolder(emulator.address)
    clients = await asyncio.gather(*(holder.get() for _ in range(8)))
    assert len({id(client) for client in clients}) == 1
    for _ in range(2):
        await holder.aclose()


@pytest.mark.parametrize(
    ("codes", "added", "calls"),
    [
        ((CODE.ALREADY_EXISTS,), False, 1),
        ((CODE.UNAVAILABLE, None), True, 2),
        ((CODE.UNAVAILABLE, CODE.ALREADY_EXISTS), False, 2),
    ],
)
async def test_a_used_name_is_no_error_and_a_service_that_is_away_for_a_moment_is_asked_again(
    answering, codes, added, calls
):
    queue, answers = await answering(*codes)
    assert (await queue.enqueue(task()), answers.calls) == (added, calls)


PASSING = ["UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "ABORTED", "UNKNOWN", "NOT_FOUND"]
REFUSALS = ["PERMISSION_DENIED", "UNAUTHENTICATED", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE"]


@pytest.mark.parametrize("code", [*PASSING, *REFUSALS, "UNIMPLEMENTED"])
async def test_what_may_pass_is_an_unavailable_store_and_what_only_an_operator_can_mend_a_config_error(
    answering, caplog, code
):
    queue, answers = await answering(CODE[code])
    error, level = (StoreUnavailable, logging.WARNING) if code in PASSING else (ConfigError, logging.ERROR)
    with pytest.raises(error) as raised:
        await queue.enqueue(task())
    assert raised.value.__cause__ is None
    assert [record.levelno for record in caplog.records] == [level]
    assert QUEUES[JobKind.SUPERVISE] in caplog.text
    for told in (str(raised.value), caplog.text):
        assert ("said so" in told) is (code not in PASSING), "an operator is told the reason"
    assert (answers.calls == 1) is (code != "UNAVAILABLE")


async def test_a_queue_that_is_not_there_says_which_and_a_kind_without_a_route_is_a_config_error(emulator, open_queue):
    missing = Route(queue=queue_path("p", "l", "none"), url="https://a.test", audience="a")
    queue = open_queue(emulator.address, {JobKind.PLAN: missing})
    with pytest.raises(StoreUnavailable, match="projects/p/locations/l/queues/none: not found"):
        await queue.enqueue(task(kind=JobKind.PLAN))
    with pytest.raises(ConfigError, match="no route for tasks of kind supervise"):
        await queue.enqueue(task())


@pytest.mark.parametrize("listens", [False, True])
async def test_where_no_answer_comes_is_an_unavailable_store_soon(stack, open_queue, listens):
    async def hold(_reader, writer):
        stack.callback(writer.close)

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    stack.callback(server.close)
    port = server.sockets[0].getsockname()[1]
    if not listens:
        server.close()
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        await open_queue(f"127.0.0.1:{port}").enqueue(task())
    assert time.monotonic() - began < ENQUEUE_SECONDS + SLOW_MACHINE_S


async def test_an_emulator_that_was_started_again_is_found_again(make_emulator, open_queue):
    port, queue = 0, None
    for seq in (1, 2):
        emulator = make_emulator(port)
        port = int((await emulator.start()).rpartition(":")[2])
        queue = queue or open_queue(emulator.address)
        assert await queue.enqueue(task(seq), delay=timedelta(hours=1))
        await emulator.stop(0)
        with pytest.raises(StoreUnavailable):
            await queue.enqueue(task(seq + 10))


async def test_without_credentials_the_environment_is_said_to_be_wrong(monkeypatch, tmp_path, open_queue):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(ConfigError, match="no valid credentials"):
        await open_queue(None).enqueue(task())


def test_a_handler_has_time_to_write_after_its_model_calls_and_a_turn_hears_the_queues_answer():
    assert DISPATCH_DEADLINE.total_seconds() > JOB_SECONDS
    assert RPC_SECONDS < ENQUEUE_SECONDS


def test_a_route_that_leads_nowhere_is_refused(subtests):
    right = {"queue": queue_path("p", "l", "q"), "url": "https://a.test", "audience": "a"}
    Route.model_validate(right)
    queues = [{"queue": "supervisor"}, {"queue": f"{'q' * 9}/x"}]
    for wrong in (*queues, {"url": "supervisor"}, {"url": "ftp://a"}, {"audience": ""}):
        with subtests.test(wrong=wrong), pytest.raises(ValueError, match=r"pattern|at least"):
            Route.model_validate({**right, **wrong})


@pytest.mark.parametrize(
    ("adapter", "heavy"),
    [
        ("cloud_tasks", {"google.cloud.tasks_v2", "google.api_core", "google.auth", "grpc"}),
        ("gemini", {"google.genai", "httpx2"}),
    ],
)
def test_importing_an_adapter_does_not_import_its_sdk(adapter, heavy):
    script = f"import sys, shared.adapters.{adapter}; sys.exit(len({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0
