"""Connects to Firestore; the gRPC client is created on first use in the event loop that uses it."""

import asyncio

import google.auth
import grpc
from google.auth.exceptions import GoogleAuthError
from google.cloud.firestore_v1.services.firestore import FirestoreAsyncClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcAsyncIOTransport

from shared.adapters.firestore.names import Names
from shared.domain.errors import ConfigError, StoreUnavailable

_ANY_SIZE = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
_CLOUD_OPTIONS = (*_ANY_SIZE, ("grpc.keepalive_time_ms", 30_000))
_EMULATOR_OPTIONS = (*_ANY_SIZE, ("grpc.enable_http_proxy", 0))
_EMULATOR_PASS = ("authorization", "Bearer owner")
"""The emulator treats this caller as an administrator, like a function."""


class FirestoreConnection:
    """A database of a project or the emulator; no I/O happens before the first call.

    One connection serves all requests of an event loop, since gRPC's asyncio channels belong to their loop.

    Attributes:
        names: The resource names of the database.
        metadata: Metadata of every call.
    """

    def __init__(self, project: str, database: str = "(default)", emulator: str | None = None) -> None:
        """Create it without connecting.

        Args:
            project: The Google Cloud project; any name for the emulator.
            database: The database's id.
            emulator: `host:port`; no credentials are used.
        """
        self.names = Names.of(project, database)
        prefix = ("google-cloud-resource-prefix", self.names.database)
        self.metadata = (prefix, _EMULATOR_PASS) if emulator else (prefix,)
        self._emulator = emulator
        self._client: FirestoreAsyncClient | None = None
        self._connecting = asyncio.Lock()
        self._closed = False

    async def client(self) -> FirestoreAsyncClient:
        """Return the client.

        Raises:
            ConfigError: There are no credentials.
            StoreUnavailable: The connection is closed.
        """
        if self._client is None:
            async with self._connecting:
                if self._closed:
                    raise StoreUnavailable("the connection was closed")
                if self._client is None:
                    self._client = FirestoreAsyncClient(transport=await self._transport())
        return self._client

    async def aclose(self) -> None:
        """Close it permanently; safe to repeat."""
        self._closed = True
        async with self._connecting:
            client, self._client = self._client, None
            if client is not None:
                await client.transport.close()  # type: ignore[no-untyped-call]

    async def _transport(self) -> FirestoreGrpcAsyncIOTransport:
        if self._emulator:
            channel = grpc.aio.insecure_channel(self._emulator, options=_EMULATOR_OPTIONS)
            return FirestoreGrpcAsyncIOTransport(channel=channel)
        scopes = FirestoreGrpcAsyncIOTransport.AUTH_SCOPES
        try:
            # In a thread, since it may read files or ask the metadata server.
            credentials, _ = await asyncio.to_thread(google.auth.default, scopes=scopes)
        except GoogleAuthError as error:
            raise ConfigError(f"no credentials for Firestore: {type(error).__name__}") from None
        channel = FirestoreGrpcAsyncIOTransport.create_channel(credentials=credentials, options=_CLOUD_OPTIONS)
        return FirestoreGrpcAsyncIOTransport(channel=channel)
