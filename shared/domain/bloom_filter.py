"""A Bloom filter: a set of ids of fixed size with false positives but no false negatives.

`BITS` bits and `PROBES` of them for each id. With n ids in it the chance of a false positive is p = (1 - e^(-PROBES * n
/ BITS))^PROBES: 6e-5 at 500 ids, 1.6e-2 at 1,000. At 500 ids the optimum is BITS / n * ln 2 = 14 probes; one fewer
costs almost nothing. B. H. Bloom, Space/Time Trade-offs in Hash Coding with Allowable Errors, CACM 13(7), 1970,
https://doi.org/10.1145/362686.362692; the formula as in A. Broder and M. Mitzenmacher, Network Applications of Bloom
Filters: A Survey, Internet Mathematics 1(4), 2004, section 2.

The bits come from SHA-512, so every process computes the same ones.
"""

import hashlib
from base64 import b64decode, b64encode
from typing import Annotated, TypeAlias

from pydantic import Field

BITS = 10_080
"""1,260 bytes: 1,680 characters of base64, without padding."""
PROBES = 13
"""Words used of the sixteen 32-bit words of a SHA-512 digest."""
WORD = 4
"""Bytes per word."""

BloomFilter: TypeAlias = Annotated[str, Field(pattern=rf"^([A-Za-z0-9+/]{{{BITS // 6}}})?$")]
"""The set as base64 text; "" is the empty set."""


def with_id(seen: BloomFilter, identifier: str) -> BloomFilter:
    """Return the set with an id added."""
    bits = bytearray(b64decode(seen) or BITS // 8)
    for place in _places(identifier):
        bits[place // 8] |= 1 << place % 8
    return b64encode(bits).decode()


def perhaps_in(seen: BloomFilter, identifier: str) -> bool:
    """Tell whether an id may be in the set; False is certain."""
    bits = b64decode(seen)
    return bool(bits) and all(bits[place // 8] >> place % 8 & 1 for place in _places(identifier))


def _places(identifier: str) -> list[int]:
    digest = hashlib.sha512(identifier.encode(errors="surrogatepass")).digest()
    return [int.from_bytes(digest[at : at + WORD]) % BITS for at in range(0, PROBES * WORD, WORD)]
