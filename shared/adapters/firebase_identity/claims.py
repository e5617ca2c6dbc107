"""Checks the claims of a Firebase ID token.

Source: https://firebase.google.com/docs/auth/admin/verify-id-tokens#verify_id_tokens_using_a_third-party_jwt_library
"""

import re
from collections.abc import Mapping
from datetime import datetime

from shared.adapters.google_keys.lifetime import LEEWAY_SECONDS, require_current, whole_seconds
from shared.domain.errors import Unauthenticated
from shared.domain.ids import UserId
from shared.ports.identity import Caller

MAX_LIFE_SECONDS = 24 * 3600
"""Firebase's tokens are valid for one hour; tools that create unsigned ones for the emulator use up to a day. A longer
lifetime is refused."""
MAX_SUBJECT = 128
"""Characters of a Firebase user id."""
_ROLE = re.compile(r"[a-z_]{1,32}", re.ASCII)
_UNSTORABLE = re.compile(r"\.{1,2}|__.*__", re.DOTALL)
"""Firestore refuses these as document ids, and any with a slash; the user id is used as one."""


def caller_of(claims: Mapping[str, object], project: str, now: datetime) -> Caller:
    """Return the caller of the claims.

    Raises:
        Unauthenticated: They are no valid token of this project at this time.
    """
    if claims.get("iss") != f"https://securetoken.google.com/{project}":
        raise Unauthenticated("wrong issuer")
    if claims.get("aud") != project:
        raise Unauthenticated("wrong audience")
    require_current(claims, now, since=("iat", "auth_time"))
    if whole_seconds(claims, "exp") - whole_seconds(claims, "iat") > MAX_LIFE_SECONDS + LEEWAY_SECONDS:
        raise Unauthenticated("lives too long")
    return Caller(
        user_id=_subject(claims.get("sub")),
        role=_role(claims.get("role")),
        counseling_level=_level(claims.get("counseling_level")),
    )


def _subject(value: object) -> UserId:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_SUBJECT:
        raise Unauthenticated("subject is missing or too long")
    if not value.isprintable() or "/" in value or _UNSTORABLE.fullmatch(value):
        raise Unauthenticated("subject is not a user id")
    return UserId(value)


def _role(value: object) -> str | None:
    """Return the custom claim `role`, or None if it is no name of a role.

    https://firebase.google.com/docs/auth/admin/custom-claims
    """
    return value if isinstance(value, str) and _ROLE.fullmatch(value) else None


def _level(value: object) -> int | None:
    """Return the custom claim `counseling_level`, or None for what is no level: it must not lock a user out."""
    return value if type(value) is int and value in range(1, 6) else None
