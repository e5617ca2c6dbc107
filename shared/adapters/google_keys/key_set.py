"""A JSON Web Key Set as the keys that can check an RS256 signature."""

from collections.abc import Mapping

import jwt
from pydantic import BaseModel, ValidationError

from shared.domain.errors import IdentityUnavailable

ALGORITHM = "RS256"
"""The only algorithm that is ever taken: with a second one, a token could choose how it is checked (RFC 8725, 2.1)."""
KEY_BITS = range(2048, 8193)
"""RFC 7518, 3.3 asks for 2048; checking against a key beyond 8192 would take the event loop's time."""


class _Key(BaseModel):
    """The fields of a public RSA key; whatever else an entry holds is left out, a private part above all."""

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
    """Return the keys by their id; keys of other kinds are passed over.

    Raises:
        IdentityUnavailable: It is no key set, a key in it is broken, or none is of use.
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
