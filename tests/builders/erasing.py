"""Erasing by the store alone, as a test needs it."""

from typing import Any

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.domain.erasure import Erasure
from shared.domain.ids import UserId
from tests.builders.sessions import NOW


async def erase_everything(store: DocumentConversationStore[Any], user_id: str) -> Erasure | None:
    """Hide and erase all of a user; returns what there was."""
    erasure = await store.hide_everything(UserId(user_id), NOW, "nothing-but-the-profile")
    if erasure is not None:
        for conversation_id in erasure.conversations:
            await store.erase(conversation_id)
        for document_id in erasure.documents:
            await store.erase_upload(document_id)
        await store.end_erasure(erasure, NOW)
    return erasure
