"""Addresses of the issuers' public keys, and how long keys may be used.

All three are JSON Web Key Sets (RFC 7517) of RSA keys for RS256.
"""

from dataclasses import dataclass, replace
from typing import Self

DAY_S = 24 * 3600.0


@dataclass(frozen=True)
class KeySource:
    """An issuer's keys.

    Attributes:
        address: URL of the JSON Web Key Set.
        usable_s: Seconds for which a set may be used if no newer one is available.
    """

    address: str
    usable_s: float

    def at(self, address: str | None) -> Self:
        """Return the source with another address, for emulators and tests; None changes nothing."""
        return replace(self, address=address) if address else self


FIREBASE_TOKENS = KeySource(
    "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", DAY_S
)
"""Firebase ID tokens: the keys of the certificates that Firebase's documentation names. Usable for a day, longer than
any expected outage of Google's key service. Source:
https://firebase.google.com/docs/auth/admin/verify-id-tokens#verify_id_tokens_using_a_third-party_jwt_library"""
SERVICE_TOKENS = KeySource("https://www.googleapis.com/oauth2/v3/certs", DAY_S)
"""OpenID Connect tokens of service accounts: Cloud Tasks, Eventarc, Cloud Scheduler.

Source: https://accounts.google.com/.well-known/openid-configuration (`jwks_uri`)
"""
APP_CHECK_TOKENS = KeySource("https://firebaseappcheck.googleapis.com/v1/jwks", 6 * 3600.0)
"""Firebase App Check tokens. "For security, the response must not be cached for longer than six hours."

Source: https://firebase.google.com/docs/reference/appcheck/rest/v1/jwks
"""
