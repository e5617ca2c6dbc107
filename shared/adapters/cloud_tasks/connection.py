"""How Cloud Tasks is reached, and the one SDK client for that, made on first use."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.auth.credentials import Credentials
    from google.cloud.tasks_v2 import CloudTasksAsyncClient

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_EMULATOR_OPTIONS = (
    # An emulator that was started again is found again at once; gRPC's own longest pause is two minutes.
    ("grpc.max_reconnect_backoff_ms", 500),
    # gRPC would ask a proxy in the environment for an address on this machine.
    ("grpc.enable_http_proxy", 0),
)


class TasksClientHolder:
    """Makes the client once, in the event loop that asks first, for all concurrent callers; `aclose` ends it."""

    def __init__(self, emulator: str | None = None) -> None:
        """Take an emulator's `host:port`; None means Cloud Tasks itself, with the function's own credentials."""
        self._emulator = emulator
        self._client: CloudTasksAsyncClient | None = None

    async def get(self) -> "CloudTasksAsyncClient":
        """Return the client.

        The first call imports the SDK (0.3 s) and looks for credentials in a thread, so that the event loop goes on
        serving others.

        Raises:
            GoogleAuthError: There are no credentials.
        """
        if self._client is None:
            credentials = await asyncio.to_thread(self._prepare)
            # Its channel belongs to the loop, so not in the thread. Others may have waited for theirs meanwhile.
            if self._client is None:
                self._client = _client(self._emulator, credentials)
        return self._client

    async def aclose(self) -> None:
        """Close the channel; without effect when none was ever opened."""
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
