"""The whole chat function over a store in memory, for a message of a user in danger that gets no reply."""

import json
from uuid import uuid4

import httpx

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.system_clock import RandomIds
from shared.config.settings import ChatSettings
from shared.content.catalogue import content
from shared.domain.counseling.session import Session
from shared.ports.conversation_documents import Versioned
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.service_parts import Ids, chat_parts
from tests.builders.staff_reviews import QUEUE
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import CONSENTS
from tests.support.overheard import noted

SAID = {"ko": "이제 정말 죽고 싶어요", "en": "I want to kill myself"}
PLAIN = {"ko": "오늘은 날씨가 좋네요", "en": "The weather is nice today"}
LINE = {"ko": "109", "en": "988"}
SENTENCE = {"ko": "지금 바로 사람에게 연락해 주세요", "en": "reach a person right now"}
PER_MINUTE = 3
CALLS = 5


class Service:
    """An instance of the whole chat function, over a store in memory unless it is given one, and one conversation."""

    def __init__(self, locale, database=None, clock=None, **settings):
        self.locale = locale
        self.clock = clock or SettableClock()
        self.database = database or MemoryDocumentDatabase()
        self.store = DocumentConversationStore(self.database, Session)
        self.model = ScriptedModel({})
        ids = RandomIds() if database else Ids()
        settings = ChatSettings(**{"per_minute": PER_MINUTE, "llm_calls": CALLS, **settings})
        self.parts = chat_parts(self.model, self.clock, settings, store=self.store, queue=MemoryTaskQueue(), ids=ids)

    def client(self, who="ann"):
        return httpx.AsyncClient(
            transport=httpx.ASGITransport(self.parts.app, raise_app_exceptions=False),
            base_url="http://test",
            headers={"Authorization": f"Bearer {who}", "Accept-Language": self.locale},
            event_hooks={"request": [noted]},
        )

    async def call(self, method, path, who="ann", headers=None, **body):
        async with self.client(who) as client:
            return await client.request(method, path, json=body or None, headers=headers)

    async def open(self, **more):
        body = {"age_band": "adult", "locale": self.locale, "consents": CONSENTS, **more}
        created = await self.call("POST", "/api/conversations", **body)
        assert created.status_code == 201, created.text
        self.id = created.json()["conversation_id"]

    async def send(self, text, headers=None):
        path = f"/api/conversations/{self.id}/chat"
        return await self.call("POST", path, headers=headers, message_id=str(uuid4()), text=text)

    async def set(self, **fields):
        snapshot = await self.store.load(self.id)
        state = snapshot.session.state.model_copy(update=fields)
        view = CounselingPolicy(content()).view(state)
        await self.store.save_state(Versioned(state, snapshot.session.version), view)

    async def everything(self):
        found = []
        for collection in ("sessions", "mailboxes", "conversations", "users", "audit"):
            found += await self.database.tree(collection)
        return json.dumps([[document.path, str(document.data)] for document in found], ensure_ascii=False)

    async def queue(self):
        return (await self.call("GET", QUEUE, "rae/reviewer")).json()["entries"]


def helps(service, answered, status, code):
    """Check that a refusal has the help lines for a user in danger; returns the problem."""
    problem = answered.json()
    assert (answered.status_code, problem["code"]) == (status, code), answered.text
    numbers = " ".join(line["number"] for line in problem["resources"])
    assert LINE[service.locale] in numbers
    assert all(line["name"] and line["number"] for line in problem["resources"])
    assert SENTENCE[service.locale] in problem["detail"]
    assert LINE[service.locale] in problem["detail"]
    return problem
