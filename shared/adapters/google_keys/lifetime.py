"""Checks the times in a token's claims."""

from collections.abc import Mapping
from datetime import datetime

from shared.domain.errors import Unauthenticated

LEEWAY_SECONDS = 60
"""Accepted lead of the issuer's clock."""


def require_current(claims: Mapping[str, object], now: datetime, since: tuple[str, ...] = ("iat",)) -> None:
    """Check that claims are valid now: not expired, and not issued in the future.

    Args:
        claims: The token's claims.
        now: The current time.
        since: Claims whose times must be past; `nbf` is checked if present.

    Raises:
        Unauthenticated: They are not valid now, or a time is missing.
    """
    seconds = now.timestamp()
    if whole_seconds(claims, "exp") <= seconds:
        raise Unauthenticated("expired")
    for claim in (*since, *(["nbf"] if "nbf" in claims else [])):
        if whole_seconds(claims, claim) > seconds + LEEWAY_SECONDS:
            raise Unauthenticated(f"{claim} is in the future")


def whole_seconds(claims: Mapping[str, object], name: str) -> int:
    """Return a time in whole seconds. Floats are refused: JSON's `1e999` is read as infinity.

    Raises:
        Unauthenticated: It is missing or not an integer.
    """
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unauthenticated(f"{name} is missing or not a time")
    return value
