"""What a Firebase ID token must say, whoever checked its signature.

Source: https://firebase.google.com/docs/auth/admin/verify-id-tokens#verify_id_tokens_using_a_third-party_jwt_library
"""

import re
from collections.abc import Mapping
from datetime import datetime

from shared.domain.errors import Unauthenticated
from shared.domain.ids import UserId
from shared.ports.identity import Caller

LEEWAY_SECONDS = 60
"""How far the issuer's clock may be ahead of ours."""
MAX_LIFE_SECONDS = 24 * 3600
"""Firebase's own tokens live one hour; the tools and pages that make unsigned ones for the emulator take up to a day.
Longer than that is no session but a key that never expires."""
MAX_SUBJECT = 128
"""Characters of a Firebase user id."""
_UNSTORABLE = re.compile(r"\.{1,2}|__.*__", re.DOTALL)
"""Firestore refuses these as document ids, and a slash in any: the user id is one."""


def caller_of(claims: Mapping[str, object], project: str, now: datetime) -> Caller:
    """Return whom the claims speak of.

    Raises:
        Unauthenticated: They are not a valid token of this project at this time.
    """
    if claims.get("iss") != f"https://securetoken.google.com/{project}":
        raise Unauthenticated("wrong issuer")
    if claims.get("aud") != project:
        raise Unauthenticated("wrong audience")
    seconds = now.timestamp()
    if _time(claims, "exp") <= seconds:
        raise Unauthenticated("expired")
    for claim in ("iat", "auth_time", *(["nbf"] if "nbf" in claims else [])):
        if _time(claims, claim) > seconds + LEEWAY_SECONDS:
            raise Unauthenticated(f"{claim} is in the future")
    if _time(claims, "exp") - _time(claims, "iat") > MAX_LIFE_SECONDS + LEEWAY_SECONDS:
        raise Unauthenticated("lives too long")
    return Caller(user_id=_subject(claims.get("sub")))


def _time(claims: Mapping[str, object], name: str) -> int:
    """Return a time in whole seconds. A float is none: JSON's `1e999` is read as infinity."""
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unauthenticated(f"{name} is missing or not a time")
    return value


def _subject(value: object) -> UserId:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_SUBJECT:
        raise Unauthenticated("subject is missing or too long")
    if not value.isprintable() or "/" in value or _UNSTORABLE.fullmatch(value):
        raise Unauthenticated("subject is not a user id")
    return UserId(value)
