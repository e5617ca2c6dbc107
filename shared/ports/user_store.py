"""Documents of users: one each, beside their conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.domain.user_document import UserDocument
from shared.domain.withdrawal import Withdrawal

U = TypeVar("U", bound=UserDocument)
U_co = TypeVar("U_co", bound=UserDocument, covariant=True)


@dataclass(frozen=True)
class VersionedUser(Generic[U_co]):
    """A user's document and the version it was read at; None when there was none."""

    document: U_co
    version: str | None


class UserStore(Protocol):
    """The documents of users: one each, beside their conversations."""

    async def user(self, user_id: UserId, model: type[U]) -> VersionedUser[U] | None:
        """Return a user's document; None when there is none."""
        ...

    async def save_user(
        self,
        user: VersionedUser[UserDocument],
        audit: Sequence[AuditEntry] = (),
        withdrawal: Withdrawal | None = None,
    ) -> None:
        """Write a user's document over the version it bears, or where there was none, and audit with it.

        A withdrawal that is still to be made in the user's conversations is kept in the same commit.

        Raises:
            VersionConflict: Somebody wrote or erased it meanwhile.
        """
        ...
