"""Google's part for functions in other processes: signs service accounts' tokens, and publishes the keys."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from local.emulators.signing import OidcSigner
from shared.adapters.system_clock import SystemClock


class Signer:
    """Leave the `with` to end it."""

    def __init__(self) -> None:
        self._signer = OidcSigner.generated(SystemClock())
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def certs_url(self) -> str:
        """Where the keys are."""
        return f"http://127.0.0.1:{self._server.server_port}/certs"

    def authorization(self, audience: str, email: str) -> dict[str, str]:
        """Return the header of a call that a service account makes to the function with this address."""
        return {"authorization": f"Bearer {self._signer.token(audience, email)}"}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        keys = json.dumps(self._signer.jwks()).encode()

        class Keys(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Cache-Control", "public, max-age=3600")
                self.send_header("Content-Length", str(len(keys)))
                self.end_headers()
                self.wfile.write(keys)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of http.server
                """Say nothing."""

        return Keys
