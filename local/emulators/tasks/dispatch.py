"""Sends tasks to their targets like Cloud Tasks.

Sources: https://cloud.google.com/tasks/docs/creating-http-target-tasks#handler (headers of the task),
https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`HttpRequest`: replaced headers)
"""

import logging
from dataclasses import dataclass

import httpx
from google.cloud.tasks_v2.types import HttpMethod, HttpRequest

from local.embedded.backlog import Outcome, Unanswered
from local.emulators.signing import OidcSigner
from local.emulators.tasks.names import queue_of, short_id
from local.emulators.tasks.queued_task import QueuedTask
from local.loopback import NO_AUTHORITIES

log = logging.getLogger(__name__)

USER_AGENT = "Google-Cloud-Tasks"
_REPLACED = ("host", "content-length", "user-agent")
_RESERVED = ("x-google-", "x-appengine-", "x-cloudtasks-")


@dataclass(frozen=True)
class Disorder:
    """How this emulator may be ruder than Cloud Tasks usually is, and may be at any time.

    Attributes:
        copies: Requests a dispatch, at once; all must succeed.
        newest_first: Of the tasks that are due, dispatch the newest first.
    """

    copies: int = 1
    newest_first: bool = False


class Dispatcher:
    """Makes the requests; close it with `aclose`."""

    def __init__(self, signer: OidcSigner) -> None:
        self._signer = signer
        # The delivery loop keeps the deadline, and the queue's limits how many there are at a time.
        limits = httpx.Limits(max_connections=None)
        self._client = httpx.AsyncClient(timeout=None, limits=limits, trust_env=False, verify=NO_AUTHORITIES)  # noqa: S113

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def send(self, task: QueuedTask) -> Outcome:
        """Make one request; return the HTTP status, or that there was no answer."""
        request = task.message.http_request
        headers = {**_passed_on(request), **_told(task), "User-Agent": USER_AGENT}
        if "oidc_token" in request:
            token = request.oidc_token
            headers["Authorization"] = (
                f"Bearer {self._signer.token(token.audience or request.url, token.service_account_email)}"
            )
        method = HttpMethod(request.http_method).name
        try:
            response = await self._client.request(method, request.url, headers=headers, content=request.body or None)
        except httpx.TransportError as error:
            log.warning("delivery %s reached nobody: %s", task.id, type(error).__name__)
            return Unanswered.BROKEN
        return response.status_code


def _passed_on(request: HttpRequest) -> dict[str, str]:
    """Return the caller's headers without those that Cloud Tasks replaces."""
    own = ("authorization",) if "oidc_token" in request else ()
    return {
        name: value
        for name, value in request.headers.items()
        if name.lower() not in (*_REPLACED, *own) and not name.lower().startswith(_RESERVED)
    }


def _told(task: QueuedTask) -> dict[str, str]:
    headers = {
        "X-CloudTasks-QueueName": short_id(queue_of(task.id)),
        "X-CloudTasks-TaskName": short_id(task.id),
        "X-CloudTasks-TaskRetryCount": str(task.attempts),
        "X-CloudTasks-TaskExecutionCount": str(task.executions),
        "X-CloudTasks-TaskETA": f"{task.due_at.timestamp():.6f}",
    }
    if task.previous is not None:
        headers["X-CloudTasks-TaskPreviousResponse"] = str(task.previous)
    if task.retry_reason:
        headers["X-CloudTasks-TaskRetryReason"] = task.retry_reason
    return headers
