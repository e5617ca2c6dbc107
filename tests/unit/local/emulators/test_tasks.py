"""The Cloud Tasks emulator by Google's own client, with a server that its tasks are posted to."""

import stat
from contextlib import AsyncExitStack
from datetime import timedelta

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from google.api_core.exceptions import AlreadyExists, InvalidArgument, NotFound
from google.cloud.tasks_v2.types import HttpMethod, HttpRequest, OidcToken, Task

from local.emulators.signing import OidcSigner
from local.emulators.tasks import Disorder, QueueSettings, TasksEmulator
from shared.adapters.system_clock import SystemClock
from tests.fakes.settable_clock import SettableClock
from tests.support.polling import until
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


BAD_TASKS = {
    "a name of another form": task(name="t1"),
    "a name with a dot": task(name=f"{QUEUE}/tasks/a.b"),
    "a name in another queue": task(name=f"{QUEUE}2/tasks/t1"),
    "no request": Task(name=f"{QUEUE}/tasks/t1"),
    "a url of another scheme": task(request={"url": "ftp://example.test/x"}),
    "a body with GET": task(request={"http_method": HttpMethod.GET, "body": b"x"}),
    "a header value with a line break": task(request={"headers": {"a": "b\r\nc: d"}}),
    "a token of nobody": task(request={"oidc_token": OidcToken(audience="a")}),
    "a deadline below 15 s": task(dispatch_deadline=timedelta(seconds=14)),
    "a task above 1 MB": task(request={"body": b"x" * 1_048_577}),
}


async def test_a_task_that_is_wrong_is_an_invalid_argument(bench, subtests):
    for name, wrong in BAD_TASKS.items():
        with subtests.test(name=name), pytest.raises(InvalidArgument):
            await bench.client.create_task(parent=QUEUE, task=wrong)
    await bench.emulator.idle()
    assert bench.receiver.received == []


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


# The tokens that it signs


def verified(token, jwks, audience="https://planner"):
    keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(jwks).keys}
    header = jwt.get_unverified_header(token)
    assert header["alg"] == "RS256"
    return jwt.decode(token, keys[header["kid"]], algorithms=["RS256"], audience=audience)


def test_a_token_says_what_googles_say_and_holds_for_an_hour(key):
    made = OidcSigner(key, SystemClock())
    claims = verified(made.token("https://planner", EMAIL), made.jwks())
    assert claims["iss"] == "https://accounts.google.com"
    assert (claims["email"], claims["email_verified"]) == (EMAIL, True)
    assert claims["exp"] - claims["iat"] == 3600
    assert claims["sub"].isdigit()
    assert len(claims["sub"]) == 21
    # nothing private is published
    (key,) = made.jwks()["keys"]
    assert set(key) == {"kty", "n", "e", "use", "alg", "kid"}


def test_a_kept_key_is_the_same_after_a_restart_and_readable_by_its_owner_only(tmp_path):
    file = tmp_path / "keys" / "oidc.pem"
    first = OidcSigner.kept_in(file, SystemClock())
    token = first.token("https://planner", EMAIL)
    again = OidcSigner.kept_in(file, SystemClock())
    assert verified(token, again.jwks())["email"] == EMAIL
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["oidc.pem"]
