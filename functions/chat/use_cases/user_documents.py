"""Changes of a user's profile, retried after conflicts."""

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
    """Run an attempt on the stored profile, or on None, until it meets no conflict.

    If the profile is erased in between, the attempt is not repeated.

    Raises:
        StoreUnavailable: The store does not answer, every attempt met a conflict, or the profile was erased.
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
