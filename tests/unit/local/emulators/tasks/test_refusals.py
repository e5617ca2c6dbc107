"""What is wrong is refused, and what is not emulated says so."""

from datetime import timedelta

import pytest
from google.api_core.exceptions import InvalidArgument, NotFound
from google.cloud.tasks_v2.types import (
    HttpMethod,
    HttpRequest,
    OidcToken,
    Queue,
    RateLimits,
    RetryConfig,
    Task,
)

from tests.support.tasks_bench import QUEUE

URL = "http://127.0.0.1:9/"
HERE = "projects/p/locations/l"


def task(**fields):
    request = fields.pop("request", {})
    return Task(**{"http_request": HttpRequest(**{"url": URL, **request}), **fields})


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
        with subtests.test(name=name):
            with pytest.raises(InvalidArgument):
                await bench.client.create_task(parent=QUEUE, task=wrong)
            assert [made async for made in await bench.client.list_tasks(parent=QUEUE)] == []


async def test_a_task_may_be_scheduled_thirty_days_ahead_and_no_further(bench):
    month = timedelta(days=30)
    await bench.client.create_task(parent=QUEUE, task=task(schedule_time=bench.clock.now() + month))
    late = task(schedule_time=bench.clock.now() + month + timedelta(seconds=1))
    with pytest.raises(InvalidArgument, match="30 days"):
        await bench.client.create_task(parent=QUEUE, task=late)


BAD_QUEUES = {
    "a name of another form": Queue(name="q"),
    "an underscore": Queue(name=f"{HERE}/queues/a_b"),
    "a name that is too long": Queue(name=f"{HERE}/queues/{'x' * 101}"),
    "another location": Queue(name="projects/p/locations/m/queues/x"),
    "too high a rate": Queue(name=f"{HERE}/queues/x", rate_limits=RateLimits(max_dispatches_per_second=501)),
    "a negative rate": Queue(name=f"{HERE}/queues/x", rate_limits=RateLimits(max_dispatches_per_second=-1)),
    "too many at a time": Queue(name=f"{HERE}/queues/x", rate_limits=RateLimits(max_concurrent_dispatches=5001)),
    "less than no attempts": Queue(name=f"{HERE}/queues/x", retry_config=RetryConfig(max_attempts=-2)),
    "negative doublings": Queue(name=f"{HERE}/queues/x", retry_config=RetryConfig(max_doublings=-1)),
    "a negative wait": Queue(name=f"{HERE}/queues/x", retry_config=RetryConfig(min_backoff=timedelta(seconds=-1))),
    "limits the wrong way round": Queue(
        name=f"{HERE}/queues/x",
        retry_config=RetryConfig(min_backoff=timedelta(seconds=9), max_backoff=timedelta(seconds=8)),
    ),
}


async def test_a_queue_that_is_wrong_is_an_invalid_argument(bench, subtests):
    for name, wrong in BAD_QUEUES.items():
        with subtests.test(name=name), pytest.raises(InvalidArgument):
            await bench.client.create_queue(parent=HERE, queue=wrong)


async def test_queues_and_tasks_that_do_not_exist_are_not_found(bench):
    nowhere, nothing = f"{QUEUE}-none", f"{QUEUE}/tasks/none"
    for call in (
        bench.client.get_queue(name=nowhere),
        bench.client.pause_queue(name=nowhere),
        bench.client.resume_queue(name=nowhere),
        bench.client.purge_queue(name=nowhere),
        bench.client.delete_queue(name=nowhere),
        bench.client.list_tasks(parent=nowhere),
        bench.client.create_task(parent=nowhere, task=task()),
        bench.client.get_task(name=nothing),
        bench.client.run_task(name=nothing),
        bench.client.delete_task(name=nothing),
    ):
        with pytest.raises(NotFound):
            await call
