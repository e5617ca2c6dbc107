"""Verifies Firebase ID tokens."""

import logging

from shared.adapters.firebase_identity.claims import caller_of
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.signed_tokens import verified
from shared.domain.errors import Unauthenticated
from shared.ports.clock import Clock
from shared.ports.identity import Caller

log = logging.getLogger(__name__)


class FirebaseIdentity:
    """`Identity` by signature and claims.

    A token is valid until it expires, at most one hour. Only Firebase's servers know whether its user was disabled or
    signed out since; asking them (`accounts:lookup`) would cost a call per request and a privilege. Deleting one's data
    (`DELETE /api/me`) does not depend on it.
    """

    def __init__(self, project: str, keys: PublicKeys, clock: Clock) -> None:
        self._project = project
        self._keys = keys
        self._clock = clock

    async def verify(self, token: str) -> Caller:
        """See `Identity`."""
        try:
            signed = await verified(token, self._keys)
            return caller_of(signed.claims, self._project, self._clock.now())
        except Unauthenticated as error:
            log.info("ID token refused: %s", error)
            raise
