"""Calls Cloud Tasks; imports the SDK, so it is imported on first use only (see connection.py)."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from google.api_core.exceptions import ServiceUnavailable
from google.api_core.retry import AsyncRetry, if_exception_type
from google.cloud.tasks_v2 import CloudTasksAsyncClient
from google.cloud.tasks_v2.types import CreateTaskRequest, HttpMethod, HttpRequest, OidcToken, Task

RPC_SECONDS = 2.5
"""Timeout of one task, retries included, seconds. Shorter than the turn's wait for the queue (`ENQUEUE_SECONDS`), so
that the queue's own answer is logged."""
DISPATCH_DEADLINE, LONGEST_DEADLINE = timedelta(seconds=120), timedelta(minutes=30)
"""Timeout of the function's answer, and Cloud Tasks' longest. A job's model calls end after 90 s (`JOB_SECONDS`), then
it writes its result; with Cloud Tasks' default of 10 minutes, tasks of a dead instance would wait that long."""

# An instance that was frozen between requests often has dead connections. Retries are harmless, since tasks have names.
_RETRY = AsyncRetry(predicate=if_exception_type(ServiceUnavailable), initial=0.1, maximum=0.5, multiplier=2, timeout=1)


def signed_post(
    url: str, body: bytes, headers: Mapping[str, str], *, service_account: str, audience: str
) -> HttpRequest:
    """Return a POST of a JSON body with an OIDC token of the service account for the audience."""
    return HttpRequest(
        http_method=HttpMethod.POST,
        url=url,
        headers={**headers, "Content-Type": "application/json"},
        body=body,
        oidc_token=OidcToken(service_account_email=service_account, audience=audience),
    )


async def create_task(
    client: CloudTasksAsyncClient, name: str, request: HttpRequest, due_at: datetime | None, patience: float
) -> None:
    """Create a task.

    Args:
        client: The connection.
        name: Full name of the task.
        request: The request that the task sends.
        due_at: Earliest delivery; None for at once.
        patience: Factor of the deadline, as far as Cloud Tasks allows.

    Raises:
        GoogleAPIError: It was not created; `AlreadyExists` if its name is used.
    """
    deadline = min(DISPATCH_DEADLINE * patience, LONGEST_DEADLINE)
    task = Task(name=name, http_request=request, dispatch_deadline=deadline)
    if due_at is not None:
        Task.pb(task).schedule_time.FromDatetime(due_at)
    queue = name.partition("/tasks/")[0]
    await client.create_task(request=CreateTaskRequest(parent=queue, task=task), retry=_RETRY, timeout=RPC_SECONDS)
