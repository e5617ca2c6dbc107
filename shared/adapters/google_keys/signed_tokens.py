"""Verifies the signature of a JSON Web Token, not its claims."""

from collections.abc import Mapping
from typing import NamedTuple

import jwt
from jwt.types import Options

from shared.adapters.google_keys.key_set import ALGORITHM
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.domain.errors import Unauthenticated

MAX_TOKEN = 8 * 1024
"""Characters; Google's tokens have about 1,000."""

_SIGNATURE_ONLY = Options(
    verify_exp=False,
    verify_nbf=False,
    verify_iat=False,
    verify_aud=False,
    verify_iss=False,
    verify_sub=False,
    verify_jti=False,
)
"""The caller checks the claims, with our clock."""


class SignedToken(NamedTuple):
    """Content of a token with a valid signature."""

    header: Mapping[str, object]
    claims: Mapping[str, object]


async def verified(token: str, keys: PublicKeys) -> SignedToken:
    """Return a token's content if one of the keys signed it.

    It takes a tenth of a millisecond, so it runs in the event loop.

    Raises:
        Unauthenticated: It is malformed, or not signed with RS256 by one of the keys.
        IdentityUnavailable: The keys are not available.
    """
    if len(token) > MAX_TOKEN:
        raise Unauthenticated("token too long")
    key = await keys.key(_key_id(token))
    if key is None:
        raise Unauthenticated("signed with a key that the issuer does not publish")
    try:
        decoded = jwt.decode_complete(token, key, algorithms=[ALGORITHM], options=_SIGNATURE_ONLY)
    except jwt.InvalidSignatureError:
        raise Unauthenticated("the signature does not hold") from None
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Unauthenticated("malformed token") from None
    return SignedToken(decoded["header"], decoded["payload"])


def _key_id(token: str) -> str:
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Unauthenticated("malformed token") from None
    if header.get("alg") != ALGORITHM:
        raise Unauthenticated(f"not signed with {ALGORITHM}")
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise Unauthenticated("names no key")
    return key_id
