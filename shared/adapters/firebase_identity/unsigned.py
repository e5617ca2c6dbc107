"""Accepts unsigned tokens (`alg: none`) of the Firebase Auth emulator and the local pages; refused in the cloud."""

from collections.abc import Mapping

import jwt

from shared.adapters.firebase_identity.claims import caller_of
from shared.domain.errors import ConfigError, Unauthenticated
from shared.ports.clock import Clock
from shared.ports.identity import Caller

MAX_TOKEN = 8 * 1024
"""Characters; a Firebase ID token has about 1,000."""
CLOUD_MARK = "K_SERVICE"
"""Set by Cloud Run in every container, also for Cloud Functions."""


class UnsignedIdentity:
    """`Identity` without verification, for development and tests."""

    def __init__(self, project: str, clock: Clock, environ: Mapping[str, str]) -> None:
        """Create it for a project.

        Raises:
            ConfigError: The environment is the cloud.
        """
        if CLOUD_MARK in environ:
            raise ConfigError(f"unsigned tokens are for local use: {CLOUD_MARK} is set, so this runs in the cloud")
        self._project = project
        self._clock = clock

    async def verify(self, token: str) -> Caller:
        """See `Identity`."""
        if len(token) > MAX_TOKEN:
            raise Unauthenticated("token too long")
        return caller_of(_claims(token), self._project, self._clock.now())


def _claims(token: str) -> Mapping[str, object]:
    try:
        decoded = jwt.decode_complete(token, options={"verify_signature": False})
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Unauthenticated("malformed token") from None
    if decoded["header"].get("alg") != "none" or decoded["signature"]:
        raise Unauthenticated("a signed token; only unsigned ones are taken here")
    claims: Mapping[str, object] = decoded["payload"]
    return claims
