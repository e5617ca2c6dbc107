"""Who is calling: people with Firebase ID tokens, the apps in their hands, and the platform's own services."""

from typing import Protocol

from shared.domain.ids import UserId
from shared.model import Model

REVIEWER = "reviewer"
"""The role of staff who look at flagged sessions."""


class Caller(Model):
    """A verified identity.

    Attributes:
        role: The custom claim `role`, which only the project's own servers can set; users have none.
    """

    user_id: UserId
    role: str | None = None


class Identity(Protocol):
    """Verifies bearer tokens."""

    async def verify(self, token: str) -> Caller:
        """Return the caller of a Firebase ID token.

        Raises:
            Unauthenticated: The token does not hold.
            IdentityUnavailable: The issuer's public keys cannot be had now.
        """
        ...


class Invokers(Protocol):
    """Knows the services that may call a background function: Cloud Tasks, Eventarc, Cloud Scheduler."""

    async def verify(self, authorization: str | None) -> None:
        """Accept the call with this `Authorization` header.

        Raises:
            Unauthenticated: No token, a token that does not hold, or another service's.
            IdentityUnavailable: The issuer's public keys cannot be had now.
        """
        ...


class AppCheck(Protocol):
    """Knows the calls that our own apps make (Firebase App Check): it is about the app, not about its user."""

    async def verify(self, token: str | None) -> None:
        """Accept the call with this App Check token.

        Raises:
            AppCheckFailed: There is none, it does not hold, or it is another app's.
            IdentityUnavailable: The issuer's public keys cannot be had now.
        """
        ...
