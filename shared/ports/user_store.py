"""Port of users' documents."""

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
    """A user's document and the version it was read at; None if there was none."""

    document: U_co
    version: str | None


class UserStore(Protocol):
    """Users' documents, one per user."""

    async def user(self, user_id: UserId, model: type[U]) -> VersionedUser[U] | None:
        """Return a user's document, or None."""
        ...

    async def save_user(
        self,
        user: VersionedUser[UserDocument],
        audit: Sequence[AuditEntry] = (),
        withdrawal: Withdrawal | None = None,
    ) -> None:
        """Write a user's document if its version is unchanged (or it is new), with audit entries and a withdrawal.

        Raises:
            VersionConflict: The document was changed or erased.
        """
        ...
