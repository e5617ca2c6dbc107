"""Ports that authenticate callers: users by Firebase ID tokens, our apps, and the platform's services."""

from typing import Protocol

from pydantic import Field

from shared.domain.ids import UserId
from shared.model import Model

REVIEWER = "reviewer"
"""Role of staff who review flagged sessions."""


class Caller(Model):
    """A verified identity.

    Attributes:
        role: The custom claim `role`, which only the project's servers can set; None for users.
        counseling_level: The custom claim of that name: the level (1-5) at which staff let the user begin.
    """

    user_id: UserId
    role: str | None = None
    counseling_level: int | None = Field(default=None, ge=1, le=5)


class Identity(Protocol):
    """Verifies bearer tokens."""

    async def verify(self, token: str) -> Caller:
        """Return the caller of a Firebase ID token.

        Raises:
            Unauthenticated: The token is invalid.
            IdentityUnavailable: The issuer's public keys are not available.
        """
        ...


class Invokers(Protocol):
    """Authenticates services that call background functions: Cloud Tasks, Eventarc, Cloud Scheduler."""

    async def verify(self, authorization: str | None) -> None:
        """Verify an `Authorization` header.

        Raises:
            Unauthenticated: No token, an invalid token, or another service's.
            IdentityUnavailable: The issuer's public keys are not available.
        """
        ...


class AppCheck(Protocol):
    """Authenticates our own apps (Firebase App Check), not their users."""

    async def verify(self, token: str | None) -> None:
        """Verify an App Check token.

        Raises:
            AppCheckFailed: There is none, it is invalid, or it is another app's.
            IdentityUnavailable: The issuer's public keys are not available.
        """
        ...
