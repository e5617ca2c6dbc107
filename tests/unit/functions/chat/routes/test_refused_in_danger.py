"""A message that tells of a danger, against all that may refuse it: whoever gets no reply is told who can help."""

import json
from uuid import uuid4

import httpx
import pytest

from functions.chat.wiring import Platform, compose
from local.background import inner_door
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.config.settings import ChatSettings, ModelAccess
from shared.domain.conversation import Budget
from shared.domain.counseling.session import Session, SessionStatus
from shared.domain.errors import StoreUnavailable
from shared.engine.admission import PRESSING_FACTOR
from shared.ports.conversation_store import Versioned
from shared.ports.identity import Caller
from shared.services.counseling.house import CounselingHouse
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.service_parts import Ids
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import CONSENTS
from tests.support.overheard import noted
from tests.support.reviewing import QUEUE

SAID = {"ko": "이제 정말 죽고 싶어요", "en": "I want to kill myself"}
PLAIN = {"ko": "오늘은 날씨가 좋네요", "en": "The weather is nice today"}
LINE = {"ko": "109", "en": "988"}
SENTENCE = {"ko": "지금 바로 사람에게 연락해 주세요", "en": "reach a person right now"}
PER_MINUTE = 3
CALLS = 5


class AnyOf:
    """`Identity`: the token is the user's id, with a role behind a slash if they have one."""

    async def verify(self, token):
        user_id, _, role = token.partition("/")
        return Caller(user_id=user_id, role=role or None)


class Service:
    """The whole chat function over a store in memory, and one conversation."""

    def __init__(self, locale):
        self.locale = locale
        self.clock = SettableClock()
        self.database = MemoryDocumentDatabase()
        self.store = DocumentConversationStore(self.database, Session)
        self.model = ScriptedModel({})
        platform = Platform(
            store=self.store,
            queue=MemoryTaskQueue(),
            identity=AnyOf(),
            model=self.model,
            clock=self.clock,
            ids=Ids(),
            door=inner_door("demo-cbot"),
        )
        self.parts = compose(platform, ChatSettings(per_minute=PER_MINUTE, llm_calls=CALLS), ModelAccess())

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
        view = CounselingHouse().view(state)
        await self.store.save_state(Versioned(state, snapshot.session.version), view)

    async def everything(self):
        found = []
        for collection in ("sessions", "mailboxes", "conversations", "users", "audit"):
            found += await self.database.tree(collection)
        return json.dumps([[document.path, str(document.data)] for document in found], ensure_ascii=False)

    async def queue(self):
        return (await self.call("GET", QUEUE, "rae/reviewer")).json()["entries"]


@pytest.fixture(params=["ko", "en"])
async def service(request):
    service = Service(request.param)
    await service.open()
    return service


def helps(service, answered, status, code):
    """Hold a refusal to what somebody in danger needs of it."""
    problem = answered.json()
    assert (answered.status_code, problem["code"]) == (status, code), answered.text
    numbers = " ".join(line["number"] for line in problem["resources"])
    assert LINE[service.locale] in numbers
    assert all(line["name"] and line["number"] for line in problem["resources"])
    assert SENTENCE[service.locale] in problem["detail"]
    assert LINE[service.locale] in problem["detail"]
    return problem


async def test_in_an_ended_session_it_names_help_and_brings_it_to_the_reviewers_without_its_words(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")
    assert await service.queue() == []

    helps(service, await service.send(SAID[service.locale]), 409, "session_ended")

    (entry,) = await service.queue()
    assert (entry["conversation_id"], entry["priority"], entry["after_end"]) == (service.id, "crisis", True)
    assert "after_end" in entry["flags"][0]["rules"]
    stored = await service.everything()
    assert "after_end" in stored
    assert SAID[service.locale] not in stored


async def test_in_an_ended_session_that_was_seen_it_opens_it_again(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")
    for note in ("하나", "둘"):
        await service.send(SAID[service.locale])
        assert len(await service.queue()) == 1
        look = (await service.call("GET", f"{QUEUE}/{service.id}", "rae/reviewer")).json()["look"]
        await service.call("POST", f"{QUEUE}/{service.id}/seen", "rae/reviewer", note=note, look=look)
        assert await service.queue() == []


async def test_without_consent_it_names_help_and_leaves_nothing_at_all(service):
    withdrawn = await service.call("PUT", "/api/me/consents", consents={"sensitive_data": False, "terms": False})
    assert withdrawn.status_code == 200, withdrawn.text
    before = await service.everything()

    problem = helps(service, await service.send(SAID[service.locale]), 403, "consent_required")

    titles = ("이용약관", "민감정보") if service.locale == "ko" else ("terms of use", "sensitive (health) data")
    assert all(title in problem["detail"] for title in titles)
    assert "sensitive_data" not in problem["detail"]
    assert {consent["id"] for consent in problem["consents"]} == {"terms", "sensitive_data"}
    assert await service.everything() == before

    await service.set(ended_at=service.clock.now(), status=SessionStatus.COMPLETED)
    before = await service.everything()
    helps(service, await service.send(SAID[service.locale]), 409, "session_ended")
    assert await service.everything() == before


@pytest.mark.parametrize("where", ["{said} {filler}", "{filler} {said}", "{half} {said} {half}"])
@pytest.mark.parametrize("length", [4_899, 15_000])
async def test_too_long_it_is_read_at_its_beginning_and_its_end(service, where, length):
    filler = f"{PLAIN[service.locale]}. " * (length // len(PLAIN[service.locale]))
    text = where.format(said=SAID[service.locale], filler=filler[:length], half=filler[: length // 2])
    answered = await service.send(text)
    if "half" in where and length > 8_000:
        assert "resources" not in answered.json(), "what is between the two ends is not read"
    else:
        helps(service, answered, 413, "text_too_long")


async def test_too_often_it_is_answered_all_the_same_up_to_a_bound_that_names_help(service):
    for _ in range(PER_MINUTE * PRESSING_FACTOR):
        answered = await service.send(SAID[service.locale])
        assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"]), answered.text
    helps(service, await service.send(SAID[service.locale]), 429, "too_many_requests")
    plain = await service.send(PLAIN[service.locale])
    assert (plain.status_code, "resources" in plain.json()) == (429, False)
    assert service.model.requests == []


async def test_when_the_model_budget_is_spent_it_is_answered_without_a_model(service):
    await service.set(budget=Budget(llm_calls=CALLS))
    assert (await service.send(PLAIN[service.locale])).json()["code"] == "budget_spent"
    answered = await service.send(SAID[service.locale])
    assert (answered.status_code, answered.json()["flags"]) == (200, ["crisis"])
    assert LINE[service.locale] in answered.json()["reply"]
    assert service.model.requests == []


async def test_where_there_is_no_such_conversation_it_names_help(service):
    service.id = "nothing"
    helps(service, await service.send(SAID[service.locale]), 404, "not_found")


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(StoreUnavailable("away"), 503, "store_unavailable"), (ValueError("a defect"), 500, "internal")],
)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_where_the_service_breaks_it_names_help(service, error, status, code, accept):
    async def broken(message):
        raise error

    service.parts.turns.submit = broken
    helps(service, await service.send(SAID[service.locale], {"Accept": accept}), status, code)


async def test_when_its_turn_fails_midway_its_stream_names_help(service):
    async def broken(*_args, **_more):
        raise StoreUnavailable("away")

    service.store.commit_turn = broken
    answered = await service.send(SAID[service.locale], {"Accept": "text/event-stream"})
    (failed,) = [
        json.loads(block.split("data: ")[1]) for block in answered.text.split("\r\n\r\n") if "event: error" in block
    ]
    assert LINE[service.locale] in " ".join(line["number"] for line in failed["resources"])
    assert SENTENCE[service.locale] in failed["detail"]


async def test_of_somebody_young_it_names_the_line_for_the_young():
    service = Service("ko")
    await service.open(age_band="14_18")
    await service.call("POST", f"/api/conversations/{service.id}/end")
    problem = helps(service, await service.send(SAID["ko"]), 409, "session_ended")
    assert "1388" in [line["number"] for line in problem["resources"]]


async def test_violence_at_this_moment_is_heeded_as_well():
    service = Service("ko")
    await service.open()
    await service.call("POST", f"/api/conversations/{service.id}/end")
    problem = (await service.send("남편이 때려서 지금 화장실에 숨어 있어요")).json()
    assert any("112" in line["number"] for line in problem["resources"])
    (entry,) = await service.queue()
    assert entry["priority"] == "abuse_now"


async def test_a_harmless_message_is_refused_as_ever(service):
    await service.call("POST", f"/api/conversations/{service.id}/end")
    problem = (await service.send(PLAIN[service.locale])).json()
    assert (problem["code"], "resources" in problem) == ("session_ended", False)
    assert SENTENCE[service.locale] not in problem["detail"]
    assert await service.queue() == []
