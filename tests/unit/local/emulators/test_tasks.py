"""The Cloud Tasks emulator by Google's own client, with a server that its tasks are posted to."""

from contextlib import AsyncExitStack
from datetime import timedelta

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from google.api_core.exceptions import AlreadyExists, InvalidArgument, MethodNotImplemented, NotFound
from google.cloud.tasks_v2.types import HttpMethod, HttpRequest, OAuthToken, OidcToken, Queue, RetryConfig, Task

from local.embedded.delivery import DeliveryLoop, DeliveryPolicy
from local.embedded.sqlite_file import SqliteFile
from local.emulators.signing import OidcSigner
from local.emulators.tasks import Disorder, QueueSettings, TasksEmulator
from local.emulators.tasks.dispatch import Dispatcher
from local.emulators.tasks.task_store import SCHEMA, TaskStore
from shared.domain.errors import ConfigError
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import eventually, until
from tests.support.task_receiver import TaskReceiver
from tests.support.tasks_bench import QUEUE, Bench, client_of

EMAIL = "tasks@p.iam.gserviceaccount.test"
HOUR = 3600


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "tasks" / "tasks.sqlite3"


@pytest.fixture
async def open_bench(file, key):
    """Start an emulator with a queue of these settings; all ends with the test."""
    async with AsyncExitStack() as stack:

        async def open_bench(*statuses, disorder=None, receiver=None, **settings):
            clock = SettableClock()
            signer = OidcSigner(key, clock)
            receiver = receiver or await stack.enter_async_context(TaskReceiver(*statuses))
            emulator = TasksEmulator(file, signer, clock, queues={QUEUE: QueueSettings(**settings)}, disorder=disorder)
            await emulator.start()
            stack.push_async_callback(emulator.stop, 0)
            client = client_of(emulator.address)
            stack.push_async_callback(client.transport.close)
            return Bench(emulator, client, receiver, clock, signer)

        yield open_bench


@pytest.fixture
async def bench(open_bench):
    return await open_bench()


def told(request):
    """The headers of Cloud Tasks, without their prefix."""
    prefix = "x-cloudtasks-"
    return {name.removeprefix(prefix): value for name, value in request.headers.items() if name.startswith(prefix)}


# What a target is sent


async def test_the_request_is_the_one_that_was_asked_for(bench):
    await bench.create("t1", body=b'{"a": 1}', headers={"Content-Type": "application/json", "traceparent": "00-aa"})
    await bench.emulator.idle()
    (request,) = bench.receiver.received
    assert (request.method, request.path, request.body) == ("POST", "/work", b'{"a": 1}')
    assert (request.headers["content-type"], request.headers["traceparent"]) == ("application/json", "00-aa")
    assert request.headers["user-agent"] == "Google-Cloud-Tasks"
    assert "authorization" not in request.headers


async def test_headers_tell_of_the_task_and_of_what_became_of_earlier_attempts(open_bench):
    bench = await open_bench(404, 503, 200, min_backoff_s=1)
    eta = bench.clock.now().timestamp()
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(1)
    task = await bench.failed("t1", 2)
    assert (task.dispatch_count, task.response_count) == (2, 2)
    bench.pass_time(2)
    await bench.emulator.idle()
    first, second, third = map(told, bench.receiver.received)
    usual = {"queuename": "q", "taskname": "t1"}
    assert first == {**usual, "taskretrycount": "0", "taskexecutioncount": "0", "tasketa": f"{eta:.6f}"}
    assert second == {
        **usual,
        "taskretrycount": "1",
        "taskexecutioncount": "1",
        "tasketa": f"{eta + 1:.6f}",
        "taskpreviousresponse": "404",
        "taskretryreason": "NOT_FOUND(5): HTTP status code 404",
    }
    # a response of 5xx is a retry, and no execution
    assert (third["taskretrycount"], third["taskexecutioncount"]) == ("2", "1")
    assert third["taskpreviousresponse"] == "503"


@pytest.mark.parametrize("audience", ["https://planner", ""])
async def test_each_attempt_bears_a_token_of_its_own_that_names_the_account(open_bench, audience):
    bench = await open_bench(500, 200, min_backoff_s=3000)
    token = OidcToken(service_account_email=EMAIL, audience=audience)
    await bench.create("t1", oidc_token=token, headers={"authorization": "Basic mine"})
    await bench.failed("t1", 1)
    bench.pass_time(3000)
    await bench.emulator.idle()
    (key,) = jwt.PyJWKSet.from_dict(bench.signer.jwks()).keys
    found = []
    for request in bench.receiver.received:
        scheme, _, bearer = request.headers["authorization"].partition(" ")
        assert scheme == "Bearer"
        # the test's clock stands in another year than the machine's
        options = {"verify_exp": False, "verify_iat": False}
        expected = audience or f"{bench.receiver.address}/work"
        found.append(jwt.decode(bearer, key, algorithms=["RS256"], audience=expected, options=options))
    first, second = found
    assert (first["email"], first["email_verified"], first["iss"]) == (EMAIL, True, "https://accounts.google.com")
    assert second["iat"] - first["iat"] == 3000


# When tasks are dispatched, how many at a time, and in which order


async def test_a_scheduled_task_is_dispatched_when_its_time_has_come_unless_it_is_deleted(bench):
    await bench.create("later", delay=600)
    await bench.create("given-up", delay=600)
    await bench.create("now")
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["now"]
    await bench.client.delete_task(name=f"{QUEUE}/tasks/given-up")
    bench.pass_time(600)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["now", "later"]


async def test_no_more_than_the_limit_are_dispatched_at_a_time(open_bench):
    bench = await open_bench(concurrency=3)
    bench.receiver.gate.clear()
    for number in range(9):
        await bench.create(f"t{number}")
    await until(lambda: bench.receiver.busy == 3)
    bench.receiver.gate.set()
    await bench.emulator.idle()
    assert bench.receiver.busiest == 3
    assert sorted(bench.receiver.tasks) == [f"t{number}" for number in range(9)]


async def test_no_more_than_the_rate_are_dispatched_in_a_second(open_bench):
    bench = await open_bench(rate=2)
    for number in range(3):
        await bench.create(f"t{number}")
    assert len(await bench.received(2)) == 2
    bench.pass_time(0.4)
    assert (await bench.get("t2")).dispatch_count == 0
    bench.pass_time(0.1)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t0", "t1", "t2"]


async def test_copies_of_a_task_are_sent_at_once_and_all_must_be_taken(open_bench):
    bench = await open_bench(200, 500, 200, min_backoff_s=1, disorder=Disorder(copies=3))
    await bench.create("t1")
    await bench.failed("t1", 1)
    assert bench.receiver.tasks == ["t1"] * 3
    bench.pass_time(1)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1"] * 6


async def test_what_was_held_goes_out_when_it_is_released_in_reverse_order_if_wanted(open_bench):
    bench = await open_bench(concurrency=1, disorder=Disorder(newest_first=True))
    bench.emulator.hold()
    await bench.create("later", delay=60)
    for number in range(4):
        await bench.create(f"t{number}")
        bench.pass_time(1)
    assert (await bench.get("t0")).dispatch_count == 0
    bench.emulator.release()
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t3", "t2", "t1", "t0"]
    bench.pass_time(60)
    await bench.emulator.idle()
    assert bench.receiver.tasks[-1] == "later"


# What fails is tried again


async def test_the_wait_doubles_then_grows_linearly_then_stays_as_google_documents(open_bench):
    """The example of https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2#retryconfig."""
    bench = await open_bench(503, min_backoff_s=10, max_backoff_s=300, max_doublings=3, max_attempts=9)
    await bench.create("t1")
    waits = []
    for attempt in range(1, 9):
        task = await bench.failed("t1", attempt)
        waits.append((task.schedule_time - bench.clock.now()).total_seconds())
        if attempt == 1:
            bench.pass_time(9.9)
            await bench.create("marker")  # sent only after the loop has looked at what is due
            assert (await bench.received(2))[:2] == ["t1", "marker"]
            bench.pass_time(0.1)
        else:
            bench.pass_time(waits[-1])
    assert waits == [10, 20, 40, 80, 160, 240, 300, 300]


async def test_after_the_last_attempt_the_task_is_gone(open_bench):
    bench = await open_bench(503, max_attempts=2, min_backoff_s=1)
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(1)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1", "t1"]
    with pytest.raises(NotFound):
        await bench.get("t1")


async def test_an_attempt_past_the_tasks_own_deadline_is_cut_and_tried_again(file, key):
    """By the store and the loop: the service takes no deadline below 15 s."""
    clock = SettableClock()
    opened = await SqliteFile.open(file, schema=SCHEMA)
    store, dispatcher = TaskStore(opened, QUEUE), Dispatcher(OidcSigner(key, clock))
    loop = DeliveryLoop(store, dispatcher.send, clock, DeliveryPolicy(first_delay_s=1, max_attempts=-1))
    async with TaskReceiver() as receiver:
        receiver.gate.clear()
        request = HttpRequest(url=receiver.address, http_method=HttpMethod.POST)
        task = Task(name=f"{QUEUE}/tasks/t1", http_request=request, dispatch_deadline=timedelta(milliseconds=30))
        task.schedule_time = clock.now()
        await store.add(task, clock.now())
        loop.start()

        async def cut():
            return (await store.get(task.name)).retry_reason or None

        assert await eventually(cut) == "DEADLINE_EXCEEDED(4): no response by the dispatch deadline"
        receiver.gate.set()

        async def taken():
            clock.advance(60)  # a slow machine may need several attempts
            loop.wake()
            return await store.get(task.name) is None

        await eventually(taken)
        assert receiver.received[-1].headers["x-cloudtasks-taskretrycount"] != "0"
        await loop.stop()
    await dispatcher.aclose()
    await opened.aclose()


# A name is used once, until it is released


async def test_a_name_is_refused_while_its_task_waits_is_under_way_and_until_a_day_after(bench):
    await bench.create("t1", delay=60)
    with pytest.raises(AlreadyExists):
        await bench.create("t1")
    bench.receiver.gate.clear()
    bench.pass_time(60)
    await until(lambda: bench.receiver.busy)
    with pytest.raises(AlreadyExists):
        await bench.create("t1")
    bench.receiver.gate.set()
    await bench.emulator.idle()
    with pytest.raises(NotFound):
        await bench.get("t1")
    bench.pass_time(23 * HOUR)
    with pytest.raises(AlreadyExists):
        await bench.create("t1")
    bench.pass_time(2 * HOUR)
    await bench.create("marker")
    await bench.emulator.idle()
    await bench.create("t1")
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1", "marker", "t1"]


# What is wrong is refused, and what is not emulated says so


def task(**fields):
    request = fields.pop("request", {})
    return Task(**{"http_request": HttpRequest(**{"url": "http://127.0.0.1:9/", **request}), **fields})


def scheduled(seconds, nanos=0):
    made = task()
    Task.pb(made).schedule_time.seconds = seconds
    Task.pb(made).schedule_time.nanos = nanos
    return made


BAD_TASKS = {
    "a name of another form": task(name="t1"),
    "a name with a dot": task(name=f"{QUEUE}/tasks/a.b"),
    "a name that is too long": task(name=f"{QUEUE}/tasks/{'x' * 501}"),
    "an empty id": task(name=f"{QUEUE}/tasks/"),
    "a name that goes on": task(name=f"{QUEUE}/tasks/a\n"),
    "a name in another queue": task(name=f"{QUEUE}2/tasks/t1"),
    "no request": Task(name=f"{QUEUE}/tasks/t1"),
    "no url": task(request={"url": ""}),
    "a url without a scheme": task(request={"url": "example.test/x"}),
    "a url of another scheme": task(request={"url": "ftp://example.test/x"}),
    "a url without a host": task(request={"url": "http:///x"}),
    "a url that cannot be read": task(request={"url": "http://[::1"}),
    "a url that is too long": task(request={"url": f"http://example.test/{'x' * 2083}"}),
    "a body with GET": task(request={"http_method": HttpMethod.GET, "body": b"x"}),
    "an unknown method": task(request={"http_method": 42}),
    "a header name with a space": task(request={"headers": {"a b": "c"}}),
    "a header value with a line break": task(request={"headers": {"a": "b\r\nc: d"}}),
    "headers that are too large": task(request={"headers": {"a": "x" * 82_000}}),
    "a token of nobody": task(request={"oidc_token": OidcToken(audience="a")}),
    "a time that is none": scheduled(0, nanos=-5),
    "a time beyond the calendar": scheduled(10**15),
    "a deadline below 15 s": task(dispatch_deadline=timedelta(seconds=14)),
    "a deadline above 30 min": task(dispatch_deadline=timedelta(minutes=30, seconds=1)),
    "a task above 1 MB": task(request={"body": b"x" * 1_048_577}),
}


async def test_a_task_that_is_wrong_is_an_invalid_argument(bench, subtests):
    for name, wrong in BAD_TASKS.items():
        with subtests.test(name=name), pytest.raises(InvalidArgument):
            await bench.client.create_task(parent=QUEUE, task=wrong)
    await bench.emulator.idle()
    assert bench.receiver.received == []


async def test_a_task_may_be_scheduled_thirty_days_ahead_and_no_further(bench):
    month = timedelta(days=30)
    await bench.client.create_task(parent=QUEUE, task=task(schedule_time=bench.clock.now() + month))
    late = task(schedule_time=bench.clock.now() + month + timedelta(seconds=1))
    with pytest.raises(InvalidArgument, match="30 days"):
        await bench.client.create_task(parent=QUEUE, task=late)


async def test_queues_and_tasks_that_do_not_exist_are_not_found(bench):
    nothing = f"{QUEUE}/tasks/none"
    for call in (
        bench.client.create_task(parent=f"{QUEUE}-none", task=task()),
        bench.client.get_task(name=f"{QUEUE}-none/tasks/t1"),
        bench.client.get_task(name=nothing),
        bench.client.delete_task(name=nothing),
    ):
        with pytest.raises(NotFound):
            await call
    with pytest.raises(InvalidArgument):
        await bench.client.create_task(parent="q", task=task())


async def test_what_is_not_emulated_is_refused_as_such(bench):
    for unknown in (
        task(retry_config=RetryConfig(max_attempts=1)),
        task(request={"oauth_token": OAuthToken(service_account_email=EMAIL)}),
        Task(app_engine_http_request={}),
    ):
        with pytest.raises(MethodNotImplemented):
            await bench.client.create_task(parent=QUEUE, task=unknown)
    with pytest.raises(MethodNotImplemented):
        await bench.client.create_queue(parent="projects/p/locations/l", queue=Queue(name=f"{QUEUE}2"))


# What was accepted outlives the process


async def test_a_restart_loses_no_task_and_no_name_and_counts_the_attempt_that_was_under_way(open_bench):
    before = await open_bench()
    before.receiver.gate.clear()
    await before.create("under-way")
    await until(lambda: before.receiver.busy)
    before.emulator.hold()
    await before.create("waiting")
    await before.create("later", delay=60)
    await before.emulator.stop(0)
    before.receiver.gate.set()
    bench = await open_bench(receiver=before.receiver)
    with pytest.raises(AlreadyExists):
        await bench.create("waiting")
    await bench.emulator.idle()
    first, *again = map(told, bench.receiver.received)
    assert (first["taskname"], first["taskretrycount"]) == ("under-way", "0")
    assert {(one["taskname"], one["taskretrycount"]) for one in again} == {("under-way", "1"), ("waiting", "0")}
    assert len(again) == 2
    bench.pass_time(60)
    await bench.emulator.idle()
    assert bench.receiver.tasks[3:] == ["later"]


async def test_a_port_that_is_taken_is_a_config_error_and_lets_the_file_go(file, tmp_path, key):
    clock = SettableClock()
    signer = OidcSigner(key, clock)
    async with TasksEmulator(file, signer, clock) as emulator:
        port = int(emulator.address.rpartition(":")[2])
        second = TasksEmulator(tmp_path / "other" / "tasks.sqlite3", signer, clock, port=port)
        with pytest.raises(ConfigError, match=f"port {port}"):
            await second.start()
    assert await second.start() == f"127.0.0.1:{port}"
    await second.stop()
    await second.stop()
