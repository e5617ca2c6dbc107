"""Parses a JSON Web Key Set into keys that verify RS256 signatures."""

from collections.abc import Mapping

import jwt
from pydantic import BaseModel, ValidationError

from shared.domain.errors import IdentityUnavailable

ALGORITHM = "RS256"
"""The only accepted algorithm: with a second one, a token could choose how it is verified (RFC 8725, 2.1)."""
KEY_BITS = range(2048, 8193)
"""RFC 7518, 3.3 requires 2048; verifying with a key beyond 8192 would block the event loop."""


class _Key(BaseModel):
    """The fields of a public RSA key; other fields are dropped, above all private parts."""

    kty: str
    kid: str = ""
    use: str = ""
    alg: str = ALGORITHM
    n: str = ""
    e: str = ""

    @property
    def checks_signatures(self) -> bool:
        return self.kty == "RSA" and self.use == "sig" and self.alg == ALGORITHM and self.kid != ""


class _KeySet(BaseModel):
    keys: list[_Key]


def keys_in(document: bytes) -> Mapping[str, jwt.PyJWK]:
    """Return the usable keys by id; other keys are skipped.

    Raises:
        IdentityUnavailable: It is no key set, a key in it is invalid, or none is usable.
    """
    try:
        published = _KeySet.model_validate_json(document).keys
    except ValidationError:
        raise IdentityUnavailable("the document is no JSON Web Key Set") from None
    keys = {key.kid: _public_key(key) for key in published if key.checks_signatures}
    if not keys:
        raise IdentityUnavailable("the document holds no RSA key for signatures")
    return keys


def _public_key(key: _Key) -> jwt.PyJWK:
    try:
        made = jwt.PyJWK({"kty": key.kty, "kid": key.kid, "n": key.n, "e": key.e}, algorithm=ALGORITHM)
    except (jwt.PyJWTError, ValueError):
        raise IdentityUnavailable("a key of the document cannot be read") from None
    if made.key.key_size not in KEY_BITS:
        raise IdentityUnavailable("a key of the document is too short or too long")
    return made
