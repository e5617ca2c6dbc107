"""Who is calling."""

from typing import Protocol

from shared.domain.ids import UserId
from shared.domain.model import Model


class Caller(Model):
    """A verified identity."""

    user_id: UserId


class Identity(Protocol):
    """Verifies bearer tokens."""

    async def verify(self, token: str) -> Caller:
        """Return the caller of a Firebase ID token.

        Raises:
            Unauthenticated: The token does not hold.
        """
        ...
