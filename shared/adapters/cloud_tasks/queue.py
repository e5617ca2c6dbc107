"""`TaskQueue` on Cloud Tasks."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from pydantic import Field

from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import CBotError, ConfigError, StoreUnavailable
from shared.model import Model
from shared.ports.clock import Clock

if TYPE_CHECKING:
    from google.auth.credentials import Credentials
    from google.cloud.tasks_v2 import CloudTasksAsyncClient

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_EMULATOR_OPTIONS = (
    # gRPC's default longest pause is two minutes; a restarted emulator should be found at once.
    ("grpc.max_reconnect_backoff_ms", 500),
    # gRPC would ask a proxy in the environment for a local address.
    ("grpc.enable_http_proxy", 0),
)


class TasksClientHolder:
    """Creates the client once, in the event loop of the first caller, for all concurrent callers."""

    def __init__(self, emulator: str | None = None) -> None:
        """Create it for an emulator's `host:port`, or for Cloud Tasks with the function's own credentials if None."""
        self._emulator = emulator
        self._client: CloudTasksAsyncClient | None = None

    async def get(self) -> "CloudTasksAsyncClient":
        """Return the client.

        The first call imports the SDK (0.3 s) and looks for credentials in a thread, so that the event loop is not
        blocked.

        Raises:
            GoogleAuthError: There are no credentials.
        """
        if self._client is None:
            credentials = await asyncio.to_thread(self._prepare)
            # The channel belongs to the event loop, so it is not created in the thread. Another caller may have been
            # first.
            if self._client is None:
                self._client = _client(self._emulator, credentials)
        return self._client

    async def aclose(self) -> None:
        """Close the channel, if any."""
        client, self._client = self._client, None
        if client is not None:
            await client.transport.close()  # type: ignore[no-untyped-call]  # of the SDK

    def _prepare(self) -> "Credentials | None":
        import google.cloud.tasks_v2  # noqa: PLC0415 -- 230 ms that a refusal or health check need not pay for

        if self._emulator:
            return None
        import google.auth  # noqa: PLC0415

        credentials: Credentials = google.auth.default(scopes=[_SCOPE])[0]
        return credentials


@cache
def vendor_errors() -> tuple[type[Exception], ...]:
    """Return all errors that an SDK call raises for failures outside of our code."""
    from google.api_core.exceptions import GoogleAPIError  # noqa: PLC0415 -- with the SDK, on first use
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

    return (GoogleAPIError, GoogleAuthError)


def is_taken(error: Exception) -> bool:
    from google.api_core.exceptions import AlreadyExists  # noqa: PLC0415

    return isinstance(error, AlreadyExists)


def translate(error: Exception, queue: str) -> CBotError:
    """Translate an error.

    Args:
        error: One of `vendor_errors()`.
        queue: Full name of the queue, for the operator.

    Returns:
        `StoreUnavailable` for failures that may pass, `ConfigError` for those that only an operator can fix. A queue
        that is not found is of the first kind: Cloud Tasks also says so for some minutes after a queue was idle for 30
        days (`Queue.State.RUNNING` in https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2).
    """
    from google.api_core import exceptions as api  # noqa: PLC0415
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

    name = type(error).__name__
    match error:
        case api.NotFound():
            return StoreUnavailable(f"{queue}: not found; it is missing, or was idle for 30 days and is waking up")
        case (
            api.PermissionDenied()
            | api.Unauthenticated()
            | api.InvalidArgument()
            | api.FailedPrecondition()
            | api.OutOfRange()
            | api.MethodNotImplemented()
        ):
            return ConfigError(f"{queue}: Cloud Tasks refuses our tasks: {name}: {error.message}")
        case GoogleAuthError() if not error.retryable:
            return ConfigError(f"{queue}: no valid credentials: {name}")
        case _:
            return StoreUnavailable(f"{queue}: Cloud Tasks does not answer: {name}")


log = logging.getLogger(__name__)

OutgoingHeaders = Callable[[], Mapping[str, str]]

# https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`Queue.name`, `HttpRequest.url`)
_QUEUE_PATH = r"^projects/[A-Za-z0-9:.\-]+/locations/[A-Za-z0-9\-]+/queues/[A-Za-z0-9\-]{1,100}$"
_MAX_URL = 2083


class Route(Model):
    """Target of the tasks of a kind.

    Attributes:
        queue: Full name of the queue, see `queue_path`.
        url: The function's URL, called with POST.
        audience: Audience of the OIDC token; the function accepts no other.
    """

    queue: str = Field(pattern=_QUEUE_PATH)
    url: str = Field(pattern=r"^https?://[^\s/]+", max_length=_MAX_URL)
    audience: str = Field(min_length=1)


def queue_path(project: str, location: str, queue: str) -> str:
    """Return the full name of a queue."""
    return f"projects/{project}/locations/{location}/queues/{queue}"


class CloudTasksQueue:
    """Tasks that Cloud Tasks posts to the function of their kind, signed with an OIDC token."""

    def __init__(
        self,
        clients: TasksClientHolder,
        routes: Mapping[JobKind, Route],
        service_account: str,
        clock: Clock,
        *,
        headers: OutgoingHeaders = dict,
        patience: float = 1,
    ) -> None:
        """Create a queue; nothing connects before the first task.

        Args:
            clients: Creates the connection.
            routes: Targets by kind of task.
            service_account: E-mail of the account that tasks call as; the functions accept no other.
            clock: Decides when a delayed task is due.
            headers: Called per task for additional headers, e.g. `traceparent`.
            patience: Factor of the tasks' deadline.
        """
        self._clients = clients
        self._routes = dict(routes)
        self._service_account = service_account
        self._clock = clock
        self._headers = headers
        self._patience = patience

    async def enqueue(self, payload: TaskPayload, *, delay: timedelta = timedelta(0)) -> bool:
        """Add a task, to be delivered after `delay` at the earliest.

        Returns:
            False if a task of that name exists or existed recently.

        Raises:
            StoreUnavailable: Cloud Tasks does not answer, or does not find the queue.
            ConfigError: It refuses our credentials or tasks, or there is no route for this kind.
        """
        route = self._routes.get(payload.kind)
        if route is None:
            raise ConfigError(f"no route for tasks of kind {payload.kind.value}")
        try:
            await self._create(payload, route, delay)
        except vendor_errors() as error:
            if is_taken(error):
                return False
            problem = translate(error, route.queue)
            # Callers log codes only, since the work is due again; this line has the details for the operator.
            log.log(logging.ERROR if isinstance(problem, ConfigError) else logging.WARNING, "%s", problem)
            raise problem from None
        return True

    async def aclose(self) -> None:
        """Close the connection; safe to repeat."""
        await self._clients.aclose()

    async def _create(self, payload: TaskPayload, route: Route, delay: timedelta) -> None:
        client = await self._clients.get()
        from shared.adapters.cloud_tasks import calls  # noqa: PLC0415 -- with the SDK, on first use

        # A name that begins with the conversation's random id is spread evenly, as Cloud Tasks recommends:
        # https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`CreateTaskRequest.task`)
        name = f"{route.queue}/tasks/{payload.name}"
        request = calls.signed_post(
            route.url,
            payload.model_dump_json().encode(),
            self._headers(),
            service_account=self._service_account,
            audience=route.audience,
        )
        due_at = self._clock.now() + delay if delay > timedelta(0) else None
        await calls.create_task(client, name, request, due_at, self._patience)


def connect(
    routes: Mapping[JobKind, Route],
    service_account: str,
    clock: Clock,
    *,
    emulator: str | None = None,
    headers: OutgoingHeaders = dict,
    patience: float = 1,
) -> CloudTasksQueue:
    """Return the queue of a function; close it with `aclose`.

    Args:
        routes: Targets by kind of task.
        service_account: E-mail of the account that tasks call as.
        clock: Decides when a delayed task is due.
        emulator: `host:port` of an emulator; None for Cloud Tasks with the function's own credentials.
        headers: See `CloudTasksQueue`.
        patience: See `CloudTasksQueue`.
    """
    return CloudTasksQueue(
        TasksClientHolder(emulator), routes, service_account, clock, headers=headers, patience=patience
    )


def _client(emulator: str | None, credentials: "Credentials | None") -> "CloudTasksAsyncClient":
    from google.cloud.tasks_v2 import CloudTasksAsyncClient  # noqa: PLC0415

    if emulator is None:
        return CloudTasksAsyncClient(credentials=credentials)
    import grpc.aio  # noqa: PLC0415
    from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcAsyncIOTransport  # noqa: PLC0415

    channel = grpc.aio.insecure_channel(emulator, options=_EMULATOR_OPTIONS)
    return CloudTasksAsyncClient(transport=CloudTasksGrpcAsyncIOTransport(channel=channel))
