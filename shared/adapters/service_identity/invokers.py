"""Verifies tokens with which Cloud Tasks, Eventarc and Cloud Scheduler call a function.

Source: https://cloud.google.com/docs/authentication/token-types#identity-tokens
"""

import re
from collections.abc import Collection, Iterable, Mapping

import jwt

from shared.adapters.google_keys.lifetime import require_current
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.signed_tokens import MAX_TOKEN, verified
from shared.domain.errors import Unauthenticated
from shared.ports.clock import Clock

_FILLING = "[A-Za-z0-9_-]+"


class Audiences:
    """Patterns of audiences, matched as a whole.

    `*` stands for letters, digits, `-` and `_`: part of a host's label, such as Cloud Run's hash, or of a path segment,
    without dots and slashes. Other characters are literal.

    A pattern that is an origin matches every address of that origin: Eventarc names the function with a path or query
    in some setups, and the account, not the path, decides who may call.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile the patterns; without any, no audience matches."""
        self._patterns = [_compiled(pattern) for pattern in patterns]

    def __contains__(self, audience: object) -> bool:
        """Tell whether a token with this audience is accepted."""
        return isinstance(audience, str) and any(pattern.fullmatch(audience) for pattern in self._patterns)


_ORIGIN = re.compile(r"https?://[^/?#]+")
_WITHIN_ORIGIN = r"(?:[/?][!-~]*)?"
"""The rest of an address: nothing, or a path or query of printable ASCII."""
ISSUERS = ("https://accounts.google.com", "accounts.google.com")
SIGNATURE_REMOVED = ".SIGNATURE_REMOVED_BY_GOOGLE"
"""End of a token whose signature Cloud Run verified and removed, which it does if IAM guards the service. Source:
https://cloud.google.com/run/docs/troubleshooting#signature-removed"""
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/=-]+) *", re.IGNORECASE | re.ASCII)
_SHOWN = 200
"""Characters of an audience in a log line."""


class ServiceInvokers:
    """`Invokers`: accepts given service accounts, with tokens for this function."""

    def __init__(
        self,
        invokers: Collection[str],
        audiences: Iterable[str],
        keys: PublicKeys,
        clock: Clock,
        *,
        behind_iam: bool = False,
    ) -> None:
        """Create the verifier.

        Args:
            invokers: E-mails of service accounts.
            audiences: Accepted audiences (see `Audiences`).
            keys: Google's public keys.
            clock: Checks expiry.
            behind_iam: Cloud Run verifies every caller's token before this function and removes the signature. Set it
                only if no caller gets in unverified: then tokens without a signature are trusted.
        """
        self._invokers = frozenset(invokers)
        self._audiences = Audiences(audiences)
        self._keys = keys
        self._clock = clock
        self._behind_iam = behind_iam

    async def verify(self, authorization: str | None) -> None:
        """See `Invokers`; the caller logs refusals."""
        claims = await self._claims(_bearer(authorization))
        require_current(claims, self._clock.now())
        self._require_one_of_ours(claims)

    async def _claims(self, token: str) -> Mapping[str, object]:
        if not token.endswith(SIGNATURE_REMOVED):
            return (await verified(token, self._keys)).claims
        if not self._behind_iam:
            raise Unauthenticated("the signature was removed: IAM guards the service, and the settings do not say so")
        return _unchecked_claims(token)

    def _require_one_of_ours(self, claims: Mapping[str, object]) -> None:
        if claims.get("iss") not in ISSUERS:
            raise Unauthenticated("wrong issuer")
        account = claims.get("email")
        if not isinstance(account, str) or account not in self._invokers:
            raise Unauthenticated("not one of the accounts that may call")
        if claims.get("email_verified") is not True:
            raise Unauthenticated("the account's address is not verified")
        audience = claims.get("aud")
        if audience not in self._audiences:
            # The account is ours, so its audience is no secret, and without it the mistake is hard to find.
            raise Unauthenticated(f"meant for {str(audience)[:_SHOWN]!r}")


def _bearer(authorization: str | None) -> str:
    if authorization is None:
        raise Unauthenticated("no token")
    match = _BEARER.fullmatch(authorization)
    if match is None:
        raise Unauthenticated("no bearer token, or a malformed one")
    return match[1]


def _unchecked_claims(token: str) -> Mapping[str, object]:
    """Return the claims of a token that Cloud Run has verified."""
    if len(token) > MAX_TOKEN:
        raise Unauthenticated("token too long")
    try:
        claims: Mapping[str, object] = jwt.decode(
            token.removesuffix(SIGNATURE_REMOVED) + ".", options={"verify_signature": False}
        )
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Unauthenticated("malformed token") from None
    return claims


def _compiled(pattern: str) -> re.Pattern[str]:
    rest = _WITHIN_ORIGIN if _ORIGIN.fullmatch(pattern) else ""
    return re.compile(_FILLING.join(re.escape(part) for part in pattern.split("*")) + rest)
