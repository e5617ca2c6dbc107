"""Validates and completes new tasks.

Sources: https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`Task`, `HttpRequest`,
`CreateTaskRequest`), https://cloud.google.com/tasks/docs/quotas#limits
"""

import re
from datetime import UTC, datetime, timedelta

import httpx
from google.cloud.tasks_v2.types import HttpMethod, HttpRequest, Task

from local.emulators.tasks.names import queue_of, task_name
from local.emulators.tasks.problems import invalid, not_emulated

MAX_TASK_BYTES = 1024 * 1024
MAX_HEADER_BYTES = 80 * 1024
MAX_URL = 2083
FARTHEST = timedelta(days=30)
DEADLINE = timedelta(minutes=10)
DEADLINES = (timedelta(seconds=15), timedelta(minutes=30))
_METHODS = range(int(HttpMethod.OPTIONS) + 1)
_WITH_BODY = (HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH)
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e]*")


def new_task(task: Task, queue: str, fresh_id: str, now: datetime) -> Task:
    """Return the task to store: named, scheduled, never dispatched.

    Args:
        task: The caller's task; output-only fields are ignored.
        queue: Its queue.
        fresh_id: Its id, if it has none.
        now: Time of its creation.

    Raises:
        Problem: It is invalid, or of a kind that is not emulated.
    """
    if Task.pb(task).ByteSize() > MAX_TASK_BYTES:
        raise invalid(f"a task has at most {MAX_TASK_BYTES} bytes")
    name = _name(task.name, queue, fresh_id)
    _check_emulated(task)
    if "http_request" not in task:
        raise invalid("task.http_request is missing")
    _check_request(task.http_request)
    kept = Task(name=name, http_request=task.http_request)
    raw = Task.pb(kept)
    raw.http_request.http_method = _method(task.http_request)
    raw.dispatch_deadline.FromTimedelta(_deadline(task))
    raw.schedule_time.FromDatetime(_schedule_time(task, now))
    raw.create_time.FromDatetime(now.replace(microsecond=0))
    return kept


def _name(name: str, queue: str, fresh_id: str) -> str:
    if not name:
        return f"{queue}/tasks/{fresh_id}"
    if queue_of(task_name(name)) != queue:
        raise invalid(f"{name!r} is not in the queue {queue!r}")
    return name


def _check_emulated(task: Task) -> None:
    if "app_engine_http_request" in task:
        raise not_emulated("task.app_engine_http_request")
    if "retry_config" in task:
        raise not_emulated("task.retry_config")
    if "oauth_token" in task.http_request:
        raise not_emulated("task.http_request.oauth_token")


def _check_request(request: HttpRequest) -> None:
    _check_url(request.url)
    if request.body and _method(request) not in _WITH_BODY:
        raise invalid("http_request.body is for POST, PUT and PATCH")
    if sum(len(name) + len(value) for name, value in request.headers.items()) > MAX_HEADER_BYTES:
        raise invalid(f"http_request.headers have at most {MAX_HEADER_BYTES} bytes")
    for name, value in request.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise invalid(f"http_request.headers: {name!r} cannot be sent")
    if "oidc_token" in request and "@" not in request.oidc_token.service_account_email:
        raise invalid("http_request.oidc_token.service_account_email is no address")


def _method(request: HttpRequest) -> int:
    asked: int = HttpRequest.pb(request).http_method
    if asked not in _METHODS:
        raise invalid("http_request.http_method is unknown")
    return asked or HttpMethod.POST


def _check_url(url: str) -> None:
    if not url:
        raise invalid("http_request.url is missing")
    if len(url) > MAX_URL:
        raise invalid(f"http_request.url has at most {MAX_URL} characters")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise invalid(f"http_request.url: {error}") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise invalid('http_request.url must begin with "http://" or "https://" and name a host')


def _schedule_time(task: Task, now: datetime) -> datetime:
    if "schedule_time" not in task:
        return now
    try:
        asked: datetime = Task.pb(task).schedule_time.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise invalid("task.schedule_time is no time") from None
    if asked > now + FARTHEST:
        raise invalid(f"task.schedule_time must be at most {FARTHEST.days} days ahead")
    return max(asked, now)


def _deadline(task: Task) -> timedelta:
    if "dispatch_deadline" not in task:
        return DEADLINE
    try:
        asked: timedelta = Task.pb(task).dispatch_deadline.ToTimedelta()
    except (ValueError, OverflowError):
        raise invalid("task.dispatch_deadline is no duration") from None
    least, most = DEADLINES
    if not least <= asked <= most:
        raise invalid("task.dispatch_deadline must be from 15 seconds to 30 minutes")
    return asked
