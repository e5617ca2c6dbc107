"""Erasing by the store alone, as a test needs it."""

from shared.domain.erasure import Erasure
from shared.domain.ids import UserId
from shared.ports.erasures import ErasureStore
from tests.builders.sessions import NOW


async def erase_everything(store: ErasureStore, user_id: str) -> Erasure | None:
    """Hide and erase all of a user; returns what there was."""
    erasure = await store.hide_everything(UserId(user_id), NOW, "nothing-but-the-profile")
    if erasure is not None:
        for conversation_id in erasure.conversations:
            await store.erase(conversation_id)
        await store.end_erasure(erasure, NOW)
    return erasure
