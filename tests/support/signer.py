"""Google's part for functions in other processes: signs service accounts' tokens, and publishes the keys."""

import json

from local.emulators.signing import OidcSigner
from shared.adapters.system_clock import SystemClock
from tests.support.loopback import LoopbackServer


class Signer(LoopbackServer):
    """Leave the `with` to end it."""

    def __init__(self) -> None:
        super().__init__()
        self._signer = OidcSigner.generated(SystemClock())

    @property
    def certs_url(self) -> str:
        return f"{self.address}/certs"

    def authorization(self, audience: str, email: str) -> dict[str, str]:
        """Return the header of a call that a service account makes to the function with this address."""
        return {"authorization": f"Bearer {self._signer.token(audience, email)}"}

    def answer(self, path: str, body: bytes) -> bytes:
        return json.dumps(self._signer.jwks()).encode()
