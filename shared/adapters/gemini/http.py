"""The HTTP client of the SDK; imports httpx2, so it is imported on first use only (see connection.py)."""

from typing import Any

import httpx2

from shared.adapters.gemini.sends import note_send

CONNECT_TIMEOUT_S = 5.0
MAX_CONNECTIONS = 200  # parallel calls of one instance; more wait for a free connection
# Longer than httpx2's 5 s: users write every half minute, so nearly every turn would need a TLS handshake.
KEEP_ALIVE_S = 120.0


class RetriableClient(httpx2.AsyncClient):
    """Reports a connection that drops before the answer as one that was never made.

    The SDK retries timeouts and ConnectError only (google-genai 3.4, `_HTTPX_TRANSIENT_EXC`), but before the answer a
    retry is as safe. Later drops of a stream are not affected: `send` returns with the headers.
    """

    def __init__(self) -> None:
        limits = httpx2.Limits(max_connections=MAX_CONNECTIONS, keepalive_expiry=KEEP_ALIVE_S)
        super().__init__(limits=limits, follow_redirects=True)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send with a limit on connecting: the SDK allows the whole call's time for each phase."""
        limits = request.extensions.get("timeout", {})
        if limits.get("connect") is None or limits["connect"] > CONNECT_TIMEOUT_S:
            limits = {**limits, "connect": CONNECT_TIMEOUT_S}
            request.extensions = {**request.extensions, "timeout": limits}
        note_send()
        try:
            return await super().send(request, **options)
        except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
            raise httpx2.ConnectError("connection dropped before the answer", request=request) from error
