"""The one call of Cloud Tasks; imports the SDK, so it is imported on first use only (see connection.py)."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from google.api_core.exceptions import ServiceUnavailable
from google.api_core.retry import AsyncRetry, if_exception_type
from google.cloud.tasks_v2 import CloudTasksAsyncClient
from google.cloud.tasks_v2.types import CreateTaskRequest, HttpMethod, HttpRequest, OidcToken, Task

RPC_SECONDS = 2.5
"""For one task, retries included; they begin within the first second. A little less than a turn waits for the queue
(`ENQUEUE_SECONDS`), so that what is logged is the queue's answer and not our impatience."""
DISPATCH_DEADLINE = timedelta(seconds=120)
"""For the function's answer. A job gives its model calls up after 90 s (`JOB_SECONDS`) and then has to write what it
found; Cloud Tasks' own 10 minutes would leave a task of a dead instance lying all that time."""

# Connections of an instance that was frozen between two requests are often dead. Names make a second try harmless: if
# the first came through after all, the task exists.
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
    client: CloudTasksAsyncClient, name: str, request: HttpRequest, due_at: datetime | None = None
) -> None:
    """Create a task.

    Args:
        client: The connection.
        name: Full name of the task.
        request: What the task is to send.
        due_at: No earlier than this; None for at once.

    Raises:
        GoogleAPIError: It was not created; `AlreadyExists` when its name is used.
    """
    task = Task(name=name, http_request=request, dispatch_deadline=DISPATCH_DEADLINE)
    if due_at is not None:
        Task.pb(task).schedule_time.FromDatetime(due_at)
    queue = name.partition("/tasks/")[0]
    await client.create_task(request=CreateTaskRequest(parent=queue, task=task), retry=_RETRY, timeout=RPC_SECONDS)
