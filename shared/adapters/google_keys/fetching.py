"""Fetches a set of public keys within limits of time and size."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2
import jwt

from shared.adapters.google_keys.key_set import keys_in
from shared.domain.errors import IdentityUnavailable

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
