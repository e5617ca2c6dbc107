"""Changes of a person's document: made over what is stored, again after every conflict."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from shared.domain.counseling.profile import Profile
from shared.domain.errors import StoreUnavailable, VersionConflict
from shared.domain.ids import UserId
from shared.ports.user_store import UserStore, VersionedUser

R = TypeVar("R")

TRIES = 30
LONGEST_PAUSE = 0.3
"""Seconds between two tries; it grows to this. Twenty conversations opened at once take a second or so on the Firestore
emulator; a document that changes all the time is given up after about four."""


async def update_user_document(
    store: UserStore, user_id: UserId, attempt: Callable[[VersionedUser[Profile] | None], Awaitable[R]]
) -> R:
    """Attempt something over a person's document, or over there being none, until nobody came between.

    One that was erased meanwhile does not come back: what was about to be written is not attempted again.

    Raises:
        StoreUnavailable: The store does not answer, there was no end of conflicts, or it was erased.
    """
    known = False
    for number in range(1, TRIES + 1):
        found = await store.user(user_id, Profile)
        if found is None and known:
            break
        known = found is not None
        with suppress(VersionConflict):
            return await attempt(found)
        await asyncio.sleep(random.uniform(0, min(LONGEST_PAUSE, 0.02 * number)))  # noqa: S311 - jitter, not a secret
    raise StoreUnavailable("the user's document changed at every try, or was erased")
