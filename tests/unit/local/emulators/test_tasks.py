"""The Cloud Tasks emulator called by Google's client, with a server as the target of its tasks."""

import stat
from contextlib import AsyncExitStack

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from google.api_core.exceptions import AlreadyExists, NotFound
from google.cloud.tasks_v2.types import OidcToken

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
    """Start emulators with a queue of these settings; the fixture stops them."""
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


def verified(token, jwks, audience="https://planner", **options):
    keys = {key.key_id: key for key in jwt.PyJWKSet.from_dict(jwks).keys}
    header = jwt.get_unverified_header(token)
    assert header["alg"] == "RS256"
    return jwt.decode(token, keys[header["kid"]], algorithms=["RS256"], audience=audience, options=options)


async def idle_after(bench, seconds):
    bench.pass_time(seconds)
    await bench.emulator.idle()


def cloud_tasks_headers(request):
    prefix = "x-cloudtasks-"
    return {name.removeprefix(prefix): value for name, value in request.headers.items() if name.startswith(prefix)}


async def test_headers_describe_the_task_and_its_earlier_attempts(open_bench):
    bench = await open_bench(404, 503, 200, min_backoff_s=1)
    eta = bench.clock.now().timestamp()
    await bench.create("t1")
    await bench.failed("t1", 1)
    bench.pass_time(1)
    task = await bench.failed("t1", 2)
    assert (task.dispatch_count, task.response_count) == (2, 2)
    await idle_after(bench, 2)
    first, second, third = map(cloud_tasks_headers, bench.receiver.received)
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
async def test_each_attempt_carries_a_new_token_that_names_the_account(open_bench, audience):
    bench = await open_bench(500, 200, min_backoff_s=3000)
    token = OidcToken(service_account_email=EMAIL, audience=audience)
    await bench.create("t1", oidc_token=token, headers={"authorization": "Basic mine"})
    await bench.failed("t1", 1)
    await idle_after(bench, 3000)
    expected = audience or f"{bench.receiver.address}/work"
    found = []
    for request in bench.receiver.received:
        scheme, _, bearer = request.headers["authorization"].partition(" ")
        assert scheme == "Bearer"
        # the test's clock stands in another year than the machine's
        found.append(verified(bearer, bench.signer.jwks(), expected, verify_exp=False, verify_iat=False))
    first, second = found
    assert (first["email"], first["email_verified"], first["iss"]) == (EMAIL, True, "https://accounts.google.com")
    assert second["iat"] - first["iat"] == 3000


async def test_a_scheduled_task_is_dispatched_on_time_unless_it_is_deleted(bench):
    await bench.create("later", delay=600)
    await bench.create("given-up", delay=600)
    await bench.create("now")
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["now"]
    await bench.client.delete_task(name=f"{QUEUE}/tasks/given-up")
    await idle_after(bench, 600)
    assert bench.receiver.tasks == ["now", "later"]


async def test_copies_of_a_task_are_sent_together_until_all_are_accepted(open_bench):
    bench = await open_bench(200, 500, 200, min_backoff_s=1, disorder=Disorder(copies=3))
    await bench.create("t1")
    await bench.failed("t1", 1)
    assert bench.receiver.tasks == ["t1"] * 3
    await idle_after(bench, 1)
    assert bench.receiver.tasks == ["t1"] * 6


async def test_held_tasks_are_dispatched_on_release_newest_first_if_so_configured(open_bench):
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
    await idle_after(bench, 60)
    assert bench.receiver.tasks[-1] == "later"


async def test_a_task_name_is_refused_until_a_day_after_its_task_has_ended(bench):
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


async def test_a_restart_keeps_tasks_and_names_and_counts_the_interrupted_attempt(open_bench):
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
    first, *again = map(cloud_tasks_headers, bench.receiver.received)
    assert (first["taskname"], first["taskretrycount"]) == ("under-way", "0")
    assert {(one["taskname"], one["taskretrycount"]) for one in again} == {("under-way", "1"), ("waiting", "0")}
    assert len(again) == 2
    await idle_after(bench, 60)
    assert bench.receiver.tasks[3:] == ["later"]


def test_a_stored_key_stays_the_same_and_is_readable_by_its_owner_only(tmp_path):
    file = tmp_path / "keys" / "oidc.pem"
    first = OidcSigner.kept_in(file, SystemClock())
    token = first.token("https://planner", EMAIL)
    again = OidcSigner.kept_in(file, SystemClock())
    assert verified(token, again.jwks())["email"] == EMAIL
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["oidc.pem"]
