"""Changes of a user's document: made over what is stored, again after every conflict."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from shared.domain.counseling.profile import Profile
from shared.domain.errors import StoreUnavailable
from shared.domain.ids import UserId
from shared.engine.retry import USER_DOCUMENT, retry_conflicts
from shared.ports.user_store import UserStore, VersionedUser

R = TypeVar("R")


async def update_user_document(
    store: UserStore, user_id: UserId, attempt: Callable[[VersionedUser[Profile] | None], Awaitable[R]]
) -> R:
    """Attempt something over a person's document, or over there being none, until nobody came between.

    One that was erased meanwhile does not come back: what was about to be written is not attempted again.

    Raises:
        StoreUnavailable: The store does not answer, there was no end of conflicts, or it was erased.
    """
    known = False

    async def once() -> R:
        nonlocal known
        found = await store.user(user_id, Profile)
        if found is None and known:
            raise StoreUnavailable("the user's document was erased")
        known = found is not None
        return await attempt(found)

    return await retry_conflicts(USER_DOCUMENT, once, "the user's document")
