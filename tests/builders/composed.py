"""The chat function composed in this process, over the parts that a test brings."""

from typing import Any

import httpx

from functions.chat.parts import ChatParts
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.adapters.system_clock import RandomIds, SystemClock
from shared.domain.counseling.session import Session
from shared.ports.clock import Clock
from shared.ports.document_database import DocumentDatabase
from shared.ports.language_model import LanguageModel
from tests.builders.service_parts import chat_parts
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel


def chat_over(
    database: DocumentDatabase, *, model: LanguageModel | None = None, clock: Clock | None = None, **parts: Any
) -> ChatParts:
    """Compose it; by default a token is just the user's id, and the queue keeps what it is given."""
    store = DocumentConversationStore(database, Session)
    whole = {"store": store, "queue": MemoryTaskQueue(), "ids": RandomIds(), **parts}
    return chat_parts(model or ScriptedModel({}), clock or SystemClock(), **whole)


def client_of(chat: ChatParts, user: str) -> httpx.AsyncClient:
    """Return a client of it that sends a user's token."""
    headers = {"Authorization": f"Bearer {user}"}
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(chat.app), base_url="http://chat", headers=headers, timeout=60
    )


def model_at(address: str) -> GeminiLanguageModel:
    """Return the adapter of the model that a simulator plays."""
    return GeminiLanguageModel(GeminiConnection.model_validate({"api_key": "test", "base_url": address}))
