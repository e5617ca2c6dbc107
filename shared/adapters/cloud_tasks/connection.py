"""Connects to Cloud Tasks; the SDK client is created on first use."""

import asyncio
from typing import TYPE_CHECKING

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


def _client(emulator: str | None, credentials: "Credentials | None") -> "CloudTasksAsyncClient":
    from google.cloud.tasks_v2 import CloudTasksAsyncClient  # noqa: PLC0415

    if emulator is None:
        return CloudTasksAsyncClient(credentials=credentials)
    import grpc.aio  # noqa: PLC0415
    from google.cloud.tasks_v2.services.cloud_tasks.transports import CloudTasksGrpcAsyncIOTransport  # noqa: PLC0415

    channel = grpc.aio.insecure_channel(emulator, options=_EMULATOR_OPTIONS)
    return CloudTasksAsyncClient(transport=CloudTasksGrpcAsyncIOTransport(channel=channel))
