"""The times in a token's claims."""

from collections.abc import Mapping
from datetime import datetime

from shared.domain.errors import Unauthenticated

LEEWAY_SECONDS = 60
"""How far the issuer's clock may be ahead of ours."""


def require_current(claims: Mapping[str, object], now: datetime, since: tuple[str, ...] = ("iat",)) -> None:
    """Accept claims that hold at this time: not expired, and made before it.

    Args:
        claims: What the token says.
        now: The present.
        since: The claims whose times must be past; `nbf` is looked at whenever it is there.

    Raises:
        Unauthenticated: They do not hold now, or a time is missing.
    """
    seconds = now.timestamp()
    if whole_seconds(claims, "exp") <= seconds:
        raise Unauthenticated("expired")
    for claim in (*since, *(["nbf"] if "nbf" in claims else [])):
        if whole_seconds(claims, claim) > seconds + LEEWAY_SECONDS:
            raise Unauthenticated(f"{claim} is in the future")


def whole_seconds(claims: Mapping[str, object], name: str) -> int:
    """Return a time in whole seconds. A float is none: JSON's `1e999` is read as infinity.

    Raises:
        Unauthenticated: There is none.
    """
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unauthenticated(f"{name} is missing or not a time")
    return value
