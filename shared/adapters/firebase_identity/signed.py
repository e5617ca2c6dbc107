"""Firebase ID tokens as Firebase signs them."""

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

    A token holds until it expires, one hour at most: that its user was disabled or signed out everywhere since is
    known to Firebase's servers only, and asking them (`accounts:lookup`) would cost a call and a privilege in every
    request. Deleting one's data (`DELETE /api/me`) does not depend on it.
    """

    def __init__(self, project: str, keys: PublicKeys, clock: Clock) -> None:
        """Take the project whose tokens are meant, the keys of Firebase, and the clock."""
        self._project = project
        self._keys = keys
        self._clock = clock

    async def verify(self, token: str) -> Caller:
        """Return the caller of a Firebase ID token."""
        try:
            signed = await verified(token, self._keys)
            return caller_of(signed.claims, self._project, self._clock.now())
        except Unauthenticated as error:
            log.info("ID token refused: %s", error)
            raise
