"""What work leaves beside the session: records below it, and a change of its user's document."""

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
    """A change of a user's document, made anew over whatever is stored."""

    async def over(self, store: UserStore) -> VersionedUser[UserDocument]:
        """Return the document as it is to be, with the version that it was read at."""
        ...


@dataclass(frozen=True)
class DocumentUpdate(Generic[U]):
    """A change as a pure function of the document, or of there being none."""

    user_id: UserId
    model: type[U]
    revise: Callable[[U | None], U]

    async def over(self, store: UserStore) -> VersionedUser[UserDocument]:
        """See `UserChange`."""
        found = await store.user(self.user_id, self.model)
        if found is None:
            return VersionedUser(self.revise(None), None)
        return VersionedUser(self.revise(found.document), found.version)


@dataclass(frozen=True)
class ExtraWrites:
    """What is written with a state, in the same commit.

    Attributes:
        messages: Of the history, in other words than before.
        usage: What is added to the user's day.
        user: Read and changed anew at every try: several sessions of one user may end at once.
    """

    records: Sequence[Record | Rewritten] = ()
    user: UserChange | None = None
    audit: Sequence[AuditEntry] = ()
    messages: Sequence[Message] = ()
    usage: UsageEntry | None = None


NOTHING = ExtraWrites()
