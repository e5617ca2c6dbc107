"""Verifies Firebase App Check tokens, which prove that a call comes from the project's app on an attested device.

Source: https://firebase.google.com/docs/app-check/custom-resource-backend
"""

import logging
from collections.abc import Collection, Mapping

from shared.adapters.google_keys.lifetime import require_current
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.signed_tokens import verified
from shared.domain.errors import AppCheckFailed, Unauthenticated
from shared.ports.clock import Clock

log = logging.getLogger(__name__)

ISSUER = "https://firebaseappcheck.googleapis.com"


class FirebaseAppCheck:
    """`AppCheck` by signature and claims. Replay is not detected: a token is valid until it expires."""

    def __init__(self, project_number: str, keys: PublicKeys, clock: Clock, app_ids: Collection[str] = ()) -> None:
        """Create the verifier.

        Args:
            project_number: The Firebase project.
            keys: Public keys of App Check.
            clock: Checks expiry.
            app_ids: Apps of the project that may call; if empty, all.
        """
        self._project_number = project_number
        self._keys = keys
        self._clock = clock
        self._app_ids = frozenset(app_ids)

    async def verify(self, token: str | None) -> None:
        """See `AppCheck`."""
        try:
            await self._verify(token)
        except Unauthenticated as error:
            log.info("App Check token refused: %s", error)
            raise AppCheckFailed(error.reason) from None

    async def _verify(self, token: str | None) -> None:
        if not token:
            raise Unauthenticated("no token")
        signed = await verified(token, self._keys)
        if signed.header.get("typ") != "JWT":
            raise Unauthenticated("not of the type JWT")
        self._require_one_of_ours(signed.claims)
        require_current(signed.claims, self._clock.now())

    def _require_one_of_ours(self, claims: Mapping[str, object]) -> None:
        if claims.get("iss") != f"{ISSUER}/{self._project_number}":
            raise Unauthenticated("wrong issuer")
        audience = claims.get("aud")
        if not isinstance(audience, list) or f"projects/{self._project_number}" not in audience:
            raise Unauthenticated("wrong audience")
        app_id = claims.get("sub")
        if not isinstance(app_id, str) or not app_id:
            raise Unauthenticated("names no app")
        if self._app_ids and app_id not in self._app_ids:
            raise Unauthenticated("not one of the apps that may call")
