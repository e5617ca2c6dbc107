"""Caches an issuer's public keys: few fetches, one for all concurrent requests, and usable through an outage."""

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2
import jwt

from shared.adapters.google_keys.key_set import keys_in
from shared.adapters.google_keys.sources import KeySource
from shared.domain.errors import IdentityUnavailable
from shared.ports.clock import Clock

FETCH_S = 3.0
"""Timeout of the whole fetch, seconds. Requests wait for it; Google usually answers within a tenth of a second."""
MAX_DOCUMENT = 64 * 1024
"""Bytes; the sets have two or three keys and under 4 KB."""

_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?([0-9]{1,9})", re.IGNORECASE | re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Fetched:
    """A set of keys.

    Attributes:
        fresh_s: Seconds for which it may be cached; 0 if the issuer does not say.
    """

    keys: Mapping[str, jwt.PyJWK]
    fresh_s: float


log = logging.getLogger(__name__)

LEAST_FRESH_S = 300.0
"""Shortest time between regular fetches, seconds, independent of the headers (except for unknown key ids)."""
PAUSE_S = 30.0
"""Shortest time between any fetches, seconds. Callers choose key ids, so unknown ids must not cause as many requests to
Google. A token with a newly published key waits at most this long."""
FIRST_PAUSE_S = 2.0
"""The same after a failure while there are no keys at all, so that no token can be verified."""


@dataclass(frozen=True)
class _Held:
    """Keys with the stopwatch times until which they are fresh and usable."""

    keys: Mapping[str, jwt.PyJWK]
    fresh_until: float
    usable_until: float


class PublicKeys:
    """The keys of one issuer, for all concurrent requests of an instance.

    A set is fresh as long as its issuer says, but at most for half of its usable time, so that an outage may last the
    other half. The next request after that fetches a new set, and others wait for the same fetch.
    """

    def __init__(self, source: KeySource, clock: Clock, within_s: float = FETCH_S) -> None:
        """Create it without fetching.

        Args:
            source: The issuer.
            clock: The stopwatch.
            within_s: Timeout of a fetch, seconds.
        """
        self._source = source
        self._clock = clock
        self._within_s = within_s
        self._held: _Held | None = None
        self._failing = False
        self._quiet_until = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, key_id: str) -> jwt.PyJWK | None:
        """Return the key with this id, or None if the issuer has no such key.

        Raises:
            IdentityUnavailable: There are no usable keys, or the key is unknown and newer keys cannot be fetched.
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
        """Wait for the running fetch, or start one unless it is too soon."""
        if self._fetching is None:
            if self._clock.monotonic() < self._quiet_until:
                return
            self._fetching = asyncio.create_task(self._fetch())
        # Shielded: a caller who disconnects must not cancel the fetch for others or skip the pause.
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


async def fetch(address: str, within_s: float = FETCH_S) -> Fetched:
    """Return the keys that are published at an address.

    Raises:
        IdentityUnavailable: A timeout, a status other than 200, too large a document, or no key set.
    """
    try:
        async with asyncio.timeout(within_s):
            document, headers = await _get(address)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
        raise IdentityUnavailable(f"no answer ({type(error).__name__})") from None
    return Fetched(keys_in(document), _fresh_seconds(headers))


async def _get(address: str) -> tuple[bytes, httpx2.Headers]:
    # A client per request, since fetches are hours apart and a kept connection would be dead. Without timeouts, since
    # the caller's covers all phases. Uncompressed and raw, so that the size limit also holds in memory.
    uncompressed = {"Accept": "application/json", "Accept-Encoding": "identity"}
    async with (
        httpx2.AsyncClient(timeout=None, headers=uncompressed) as client,
        client.stream("GET", address) as response,
    ):
        if response.status_code != 200:
            raise IdentityUnavailable(f"answered {response.status_code}")
        document = bytearray()
        async for chunk in response.aiter_raw():
            document += chunk
            if len(document) > MAX_DOCUMENT:
                raise IdentityUnavailable(f"the document has more than {MAX_DOCUMENT} bytes")
        return bytes(document), response.headers


def _fresh_seconds(headers: httpx2.Headers) -> float:
    """Return the remaining freshness: the answer may come from a cache (RFC 9111, 4.2)."""
    max_age = _MAX_AGE.search(headers.get("cache-control", ""))
    age = _SECONDS.fullmatch(headers.get("age", "0").strip())
    return max(0.0, float(max_age[1]) - float(age[0] if age else 0)) if max_age else 0.0
