"""Extra documents written in the same transaction as the session: records and a change of the user's document."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol

from shared.domain.conversation import Message
from shared.domain.ids import UserId
from shared.domain.records import AuditEntry, Record, Rewritten
from shared.domain.usage import UsageEntry
from shared.domain.user_document import UserDocument
from shared.ports.user_store import U, UserStore, VersionedUser


class UserChange(Protocol):
    """A change of a user's document, recomputed from the stored document at every attempt."""

    async def over(self, store: UserStore) -> VersionedUser[UserDocument]:
        """Return the changed document and the version that it was read at."""
        ...


@dataclass(frozen=True)
class DocumentUpdate(Generic[U]):
    """A change as a pure function of the stored document, or of None if there is none."""

    user_id: UserId
    model: type[U]
    revise: Callable[[U | None], U]

    async def over(self, store: UserStore) -> VersionedUser[UserDocument]:
        found = await store.user(self.user_id, self.model)
        if found is None:
            return VersionedUser(self.revise(None), None)
        return VersionedUser(self.revise(found.document), found.version)


@dataclass(frozen=True)
class ExtraWrites:
    """Documents written in the same commit as a state.

    Attributes:
        messages: Messages of the history with changed texts.
        usage: Usage added to the user's day.
        user: Read and recomputed at every attempt, since several sessions of one user may end at once.
    """

    records: Sequence[Record | Rewritten] = ()
    user: UserChange | None = None
    audit: Sequence[AuditEntry] = ()
    messages: Sequence[Message] = ()
    usage: UsageEntry | None = None


NOTHING = ExtraWrites()
