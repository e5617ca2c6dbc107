"""Connects to Gemini; the SDK client is built on first use."""

import asyncio
import threading
from typing import TYPE_CHECKING, Self

from pydantic import Field, SecretStr, model_validator

from shared.loading import collection_paused
from shared.model import Model

if TYPE_CHECKING:
    import httpx2
    from google import genai
    from google.genai import types

RETRIED_STATUSES = (408, 500, 502, 503, 504)
"""Not 429: the SDK ignores `RetryInfo` (python-genai #1875), and quotas are per model."""


class VertexProject(Model):
    """Gemini through Vertex AI with the function's own credentials (Application Default Credentials)."""

    project: str = Field(min_length=1)
    location: str = Field(min_length=1)


class GeminiConnection(Model):
    """How to reach Gemini, from config.

    Attributes:
        api_key: Key of the Gemini API. Exactly one of `api_key` and `vertex` is set.
        base_url: Another server with the same API (the simulator, a gateway); None for Google's.
        api_version: Version in its paths; None for the SDK's default (`v1`; Vertex AI `v1beta1`), which has all fields
            used here (systemInstruction, thinkingConfig, responseJsonSchema). Some gateways know `v1beta` only.
        retry_attempts: Attempts including the first; 1 means no retry.
        retry_initial_delay_s: Of an exponential backoff (base 2), seconds.
        retry_jitter_s: Longest random addition to each delay, seconds.
    """

    api_key: SecretStr | None = None
    vertex: VertexProject | None = None
    base_url: str | None = None
    api_version: str | None = None
    retry_attempts: int = Field(default=3, ge=1)
    retry_initial_delay_s: float = Field(default=0.5, ge=0)
    retry_jitter_s: float = Field(default=0.5, ge=0)

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        key = self.api_key.get_secret_value().strip() if self.api_key else ""
        if bool(key) == bool(self.vertex):
            raise ValueError("give exactly one of api_key and vertex")
        return self


class GeminiClientHolder:
    """Builds the SDK client once, on first use, for all concurrent callers."""

    def __init__(self, connection: GeminiConnection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._built: tuple[genai.Client, httpx2.AsyncClient] | None = None

    async def get(self) -> "genai.Client":
        """Return the client.

        The first call imports the SDK (0.5 s) in a thread, so that the event loop is not blocked.
        """
        if self._built is None:
            await asyncio.to_thread(self._build)
        assert self._built is not None  # noqa: S101 -- `_build` sets it; for the type checker
        return self._built[0]

    def _build(self) -> None:
        # A thread lock, not asyncio's: it also works if two event loops share this object.
        with self._lock:
            if self._built is None:
                with collection_paused():
                    self._built = _connect(self._connection)

    async def aclose(self) -> None:
        """Close all connections, if any."""
        if self._built is not None:
            client, http = self._built
            self._built = None
            client.close()
            await http.aclose()


def _connect(connection: GeminiConnection) -> "tuple[genai.Client, httpx2.AsyncClient]":
    # Imported here, since the SDK takes 400 ms and 40 MB, which a cold start that only answers a health check or a
    # refusal must not pay.
    from google import genai  # noqa: PLC0415

    from shared.adapters.gemini.http import RetriableClient  # noqa: PLC0415

    # With its own client the SDK would switch to aiohttp once any package installs it, and `errors.translate` would
    # meet other exceptions.
    http = RetriableClient()
    options = _http_options(connection, http)
    if connection.vertex is not None:
        place = connection.vertex
        client = genai.Client(vertexai=True, project=place.project, location=place.location, http_options=options)
    else:
        key = connection.api_key.get_secret_value() if connection.api_key else None
        # `vertexai=False` explicitly: else GOOGLE_GENAI_USE_VERTEXAI in the environment decides.
        client = genai.Client(vertexai=False, api_key=key, http_options=options)
    return client, http


def _http_options(connection: GeminiConnection, http: "httpx2.AsyncClient") -> "types.HttpOptions":
    from google.genai import types  # noqa: PLC0415

    return types.HttpOptions(
        base_url=connection.base_url,
        api_version=connection.api_version,
        httpx_async_client=http,
        retry_options=retry_options(connection, connection.retry_attempts),
    )


def retry_options(connection: GeminiConnection, attempts: int) -> "types.HttpRetryOptions":
    """Return the retry options of a call.

    Args:
        connection: How Gemini is reached.
        attempts: Most requests, limited by the connection's.
    """
    from google.genai import types  # noqa: PLC0415

    return types.HttpRetryOptions(
        attempts=min(attempts, connection.retry_attempts),
        initial_delay=connection.retry_initial_delay_s,
        max_delay=4,
        exp_base=2,
        jitter=connection.retry_jitter_s,
        http_status_codes=list(RETRIED_STATUSES),
    )
