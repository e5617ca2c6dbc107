"""An issuer's public keys, kept at hand: fetched seldom, by one request for all, and relied on through an outage."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

import jwt

from shared.adapters.google_keys.fetching import FETCH_S, Fetched, fetch
from shared.adapters.google_keys.sources import KeySource
from shared.domain.errors import IdentityUnavailable
from shared.ports.clock import Clock

log = logging.getLogger(__name__)

LEAST_FRESH_S = 300.0
"""Keys are not fetched more often than this, whatever the answer's headers say (unknown key ids aside)."""
PAUSE_S = 30.0
"""Between two fetches, whatever the reason. Key ids are written by callers: ids that nobody knows must not become as
many requests to Google. It is also the longest that a token waits whose key was first published a moment ago."""
FIRST_PAUSE_S = 2.0
"""The same after a failure while there are no keys at all, and so nobody can be let in."""


@dataclass(frozen=True)
class _Held:
    """Keys, and until when (on the stopwatch) they are fresh, and may be used when there are no fresher ones."""

    keys: Mapping[str, jwt.PyJWK]
    fresh_until: float
    usable_until: float


class PublicKeys:
    """The keys of one issuer, for all concurrent requests of an instance.

    A set is fresh as long as its issuer says, but for half of its usable time at most, so that an outage has the other
    half to end in. When it is no longer fresh, the next request fetches a new one, and the others wait for that fetch.
    """

    def __init__(self, source: KeySource, clock: Clock, within_s: float = FETCH_S) -> None:
        """Take the issuer, the clock, and how long a fetch may take. Nothing is fetched yet."""
        self._source = source
        self._clock = clock
        self._within_s = within_s
        self._held: _Held | None = None
        self._failing = False
        self._quiet_until = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, key_id: str) -> jwt.PyJWK | None:
        """Return the key with this id; None when the issuer has no such key.

        Raises:
            IdentityUnavailable: There are no keys that may be used; or the key is unknown, and whether the issuer has
                it by now cannot be told.
        """
        if self._lacks(key_id):
            await self._renewed()
        held = self._held
        if held is None or self._clock.monotonic() >= held.usable_until:
            raise IdentityUnavailable("there are no public keys to check a token with")
        key = held.keys.get(key_id)
        if key is None and self._failing:
            raise IdentityUnavailable("an unknown key, and no newer ones can be had")
        return key

    def _lacks(self, key_id: str) -> bool:
        held = self._held
        return held is None or self._clock.monotonic() >= held.fresh_until or key_id not in held.keys

    async def _renewed(self) -> None:
        """Wait for the fetch that is under way, or begin one unless it is too soon."""
        if self._fetching is None:
            if self._clock.monotonic() < self._quiet_until:
                return
            self._fetching = asyncio.create_task(self._fetch())
        # Shielded: a caller who hangs up takes the fetch neither from those who wait with it nor from the pause after.
        await asyncio.shield(self._fetching)

    async def _fetch(self) -> None:
        try:
            self._hold(await fetch(self._source.address, self._within_s))
            self._failing = False
        except IdentityUnavailable as error:
            self._failing = True
            named = IdentityUnavailable(f"{self._source.address}: {error}")  # the @ in Firebase's address is in no code
            log.warning("public keys: %s", named)
        finally:
            pause = PAUSE_S if self._held else FIRST_PAUSE_S
            self._quiet_until = self._clock.monotonic() + pause
            self._fetching = None

    def _hold(self, fetched: Fetched) -> None:
        now, usable_s = self._clock.monotonic(), self._source.usable_s
        fresh_s = min(max(fetched.fresh_s, LEAST_FRESH_S), usable_s / 2)
        self._held = _Held(fetched.keys, now + fresh_s, now + usable_s)
