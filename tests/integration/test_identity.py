"""Signed tokens at the door of `chat`: the whole application, real keys, a real address that publishes them."""

import base64
import json
import logging
from dataclasses import dataclass

import httpx
import pytest

from functions.chat.composition import compose
from functions.chat.parts import Platform
from shared.adapters.app_check.firebase import FirebaseAppCheck
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.firebase_identity.signed import FirebaseIdentity
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import APP_CHECK_TOKENS, FIREBASE_TOKENS, SERVICE_TOKENS
from shared.adapters.service_identity.invokers import ServiceInvokers
from shared.adapters.system_clock import RandomIds
from shared.config.settings import ChatSettings, ModelAccess
from shared.domain.counseling.session import Session
from shared.engine.model_health import ModelHealth
from shared.engine.watched_model import WatchedModel
from shared.web.invoker_auth import InvokerAuth
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import OPENING
from tests.support.issuer import Issuer, running_issuer, signed

PROJECT, NUMBER = "cbot-demo", "123456789"
ALL = "/api/conversations"


@dataclass
class Entrance:
    """The application, and the issuer whose tokens it takes."""

    issuer: Issuer
    clock: SettableClock
    http: httpx.AsyncClient

    def token(self, uid="ann", key="first", key_id=None, **changes):
        now = int(self.clock.now().timestamp())
        claims = {
            "iss": f"https://securetoken.google.com/{PROJECT}",
            "aud": PROJECT,
            "sub": uid,
            "iat": now,
            "exp": now + 3600,
            "auth_time": now,
        }
        return signed({**claims, **changes}, key, key_id)

    async def get(self, path, token, **headers):
        return await self.http.get(path, headers={"Authorization": f"Bearer {token}", **headers})

    async def open(self, token):
        response = await self.http.post(ALL, json=OPENING, headers={"Authorization": f"Bearer {token}"})
        assert response.status_code == 201, response.text
        return response.json()["conversation_id"]


@pytest.fixture
async def issuer():
    async with running_issuer("first") as running:
        yield running


def application(issuer, clock, *, app_check=False):
    apps = FirebaseAppCheck(NUMBER, PublicKeys(APP_CHECK_TOKENS.at(issuer.address), clock), clock)
    platform = Platform(
        store=DocumentConversationStore(MemoryDocumentDatabase(), Session),
        queue=MemoryTaskQueue(),
        identity=FirebaseIdentity(PROJECT, PublicKeys(FIREBASE_TOKENS.at(issuer.address), clock), clock),
        model=WatchedModel(ScriptedModel({}), ModelHealth(clock)),
        clock=clock,
        ids=RandomIds(),
        door=InvokerAuth(
            ServiceInvokers([], [], PublicKeys(SERVICE_TOKENS.at(issuer.address), clock), clock), no_events
        ),
        app_check=apps if app_check else None,
    )
    return compose(platform, ChatSettings(), ModelAccess()).app


@pytest.fixture
async def entrance(issuer):
    clock = SettableClock()
    transport = httpx.ASGITransport(application(issuer, clock))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield Entrance(issuer, clock, client)


def no_events(_headers, _body):
    """What reads an event where none comes."""


def require_refused(response):
    assert (response.status_code, response.headers["content-type"]) == (401, "application/problem+json")
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json()["code"] == "unauthenticated"


async def test_a_person_with_a_signed_token_is_let_in_and_reaches_their_own_only(entrance):
    mine = await entrance.open(entrance.token("ann"))
    assert (await entrance.get(f"{ALL}/{mine}", entrance.token("ann"))).status_code == 200
    stranger = await entrance.get(f"{ALL}/{mine}", entrance.token("bob"))
    nobodys = await entrance.get(f"{ALL}/nobodys", entrance.token("bob"))
    assert (stranger.status_code, stranger.json()) == (404, nobodys.json())
    assert (await entrance.get(ALL, entrance.token("bob"))).json()["conversations"] == []
    assert entrance.issuer.fetches == 1


async def test_a_forged_token_is_refused_whatever_the_way_it_was_forged(entrance, caplog):
    header, payload, signature = entrance.token().split(".")
    none = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "first"}).encode()).decode().rstrip("=")
    _, others, _ = entrance.token("bob").split(".")
    forged = [
        f"{none}.{payload}.", f"{header}.{payload}.", f"{header}.{others}.{signature}",
        entrance.token(key="forger"), entrance.token(key="forger", key_id="first"),
        entrance.token(aud="other-demo"), entrance.token(iss="https://securetoken.google.com/other-demo"),
        entrance.token(exp=int(entrance.clock.now().timestamp())), "ann", "x" * 20_000,
    ]  # fmt: skip
    with caplog.at_level(logging.DEBUG):
        for token in forged:
            require_refused(await entrance.get(ALL, token))
    assert not any(part in caplog.text for token in forged for part in token.split(".") if len(part) > 3)


async def test_a_header_without_a_token_is_refused(entrance, subtests):
    cases = ["", "Bearer", "Bearer ", "Basic eDp5", "bearer\ttoken", "Bearer a b", "Bearer é"]
    for authorization in cases:
        with subtests.test(authorization=authorization):
            require_refused(await entrance.http.get(ALL, headers={"Authorization": authorization.encode()}))


async def test_the_scheme_may_be_written_in_any_letters(entrance):
    for scheme in ("bearer", "BEARER", "Bearer "):
        response = await entrance.http.get(ALL, headers={"Authorization": f"{scheme} {entrance.token()}"})
        assert response.status_code == 200


async def test_a_token_runs_out(entrance):
    token = entrance.token()
    entrance.clock.advance(3599)
    assert (await entrance.get(ALL, token)).status_code == 200
    entrance.clock.advance(1)
    require_refused(await entrance.get(ALL, token))


async def test_when_the_keys_change_the_new_is_taken_and_the_old_dropped(entrance):
    assert (await entrance.get(ALL, entrance.token())).status_code == 200
    entrance.clock.advance(60)
    entrance.issuer.names = ["second"]
    assert (await entrance.get(ALL, entrance.token(key="second"))).status_code == 200
    require_refused(await entrance.get(ALL, entrance.token(key="first")))
    assert entrance.issuer.fetches == 2


async def test_without_keys_people_are_told_to_come_again_and_not_that_they_are_signed_out(entrance):
    entrance.issuer.status = 500
    response = await entrance.get(ALL, entrance.token(), **{"Accept-Language": "ko"})
    assert (response.status_code, response.json()["code"]) == (503, "identity_unavailable")
    assert int(response.headers["retry-after"]) > 0
    assert "로그인" in response.json()["detail"]
    entrance.issuer.status = 200
    entrance.clock.advance(int(response.headers["retry-after"]))
    assert (await entrance.get(ALL, entrance.token())).status_code == 200


async def test_with_app_check_a_person_needs_one_of_our_apps(issuer):
    clock = SettableClock()
    transport = httpx.ASGITransport(application(issuer, clock, app_check=True))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        entrance = Entrance(issuer, clock, client)
        now = int(clock.now().timestamp())
        app = {
            "iss": f"https://firebaseappcheck.googleapis.com/{NUMBER}",
            "aud": [f"projects/{NUMBER}", f"projects/{PROJECT}"],
            "sub": f"1:{NUMBER}:web:0af3",
            "iat": now,
            "exp": now + 3600,
        }
        let_in = await entrance.get(ALL, entrance.token(), **{"X-Firebase-AppCheck": signed(app, "first")})
        without = await entrance.get(ALL, entrance.token())
        with_the_persons_token = await entrance.get(ALL, entrance.token(), **{"X-Firebase-AppCheck": entrance.token()})

    assert let_in.status_code == 200
    assert [(r.status_code, r.json()["code"]) for r in (without, with_the_persons_token)] == [
        (403, "app_check_failed")
    ] * 2
