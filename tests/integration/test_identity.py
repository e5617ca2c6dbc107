"""Signed tokens at `chat`: the whole application, real keys, a real address that publishes them."""

import base64
import json
import logging

import httpx
import pytest

from shared.adapters.firebase_identity.signed import FirebaseIdentity
from shared.adapters.google_keys.public_keys import PublicKeys
from shared.adapters.google_keys.sources import FIREBASE_TOKENS
from tests.builders.composed import chat_over
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import OPENING
from tests.support.issuer import running_issuer, signed

PROJECT = "cbot-demo"
ALL = "/api/conversations"


class ChatWithIssuer:
    """The application, and the issuer whose tokens it accepts."""

    def __init__(self, issuer, http, clock):
        self.issuer, self.http, self.clock = issuer, http, clock
        now = int(clock.now().timestamp())
        self.times = {"iat": now, "exp": now + 3600}

    def token(self, uid="ann", key="first", key_id=None, **changes):
        claims = {"iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": uid}
        return signed({**claims, **self.times, "auth_time": self.times["iat"], **changes}, key, key_id)

    async def get(self, path, token, **headers):
        return await self.http.get(path, headers={"Authorization": f"Bearer {token}", **headers})


@pytest.fixture
async def chat():
    async with running_issuer("first") as issuer:
        clock = SettableClock()
        identity = FirebaseIdentity(PROJECT, PublicKeys(FIREBASE_TOKENS.at(issuer.address), clock), clock)
        transport = httpx.ASGITransport(chat_over(MemoryDocumentDatabase(), clock=clock, identity=identity).app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
            yield ChatWithIssuer(issuer, http, clock)


async def test_a_signed_token_gives_access_only_to_its_users_conversations_and_until_it_expires(chat):
    ann, bob = chat.token("ann"), chat.token("bob")
    opened = await chat.http.post(ALL, json=OPENING, headers={"Authorization": f"Bearer {ann}"})
    mine = f"{ALL}/{opened.json()['conversation_id']}"
    assert (await chat.get(mine, ann)).status_code == 200
    others, missing = await chat.get(mine, bob), await chat.get(f"{ALL}/missing", bob)
    assert (others.status_code, others.json()) == (404, missing.json())
    assert (await chat.get(ALL, bob)).json()["conversations"] == []
    assert chat.issuer.fetches == 1
    chat.clock.advance(3600)
    assert (await chat.get(mine, ann)).status_code == 401


async def test_a_forged_token_is_refused_and_not_logged(chat, caplog):
    header, payload, signature = chat.token().split(".")
    none = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "first"}).encode()).decode().rstrip("=")
    _, others, _ = chat.token("bob").split(".")
    forged = [
        f"{none}.{payload}.", f"{header}.{payload}.", f"{header}.{others}.{signature}",
        chat.token(key="forger"), chat.token(key="forger", key_id="first"),
        chat.token(aud="other-demo"), chat.token(iss="https://securetoken.google.com/other-demo"),
        chat.token(exp=int(chat.clock.now().timestamp())), "ann", "x" * 20_000, "", "a b",
    ]  # fmt: skip
    with caplog.at_level(logging.DEBUG):
        for token in forged:
            refused = await chat.get(ALL, token)
            assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json"), token
            assert (refused.headers["www-authenticate"], refused.json()["code"]) == ("Bearer", "unauthenticated")
    assert not any(part in caplog.text for token in forged for part in token.split(".") if len(part) > 3)


async def test_without_public_keys_a_request_gets_503_with_a_retry_time_instead_of_401(chat):
    chat.issuer.status = 500
    response = await chat.get(ALL, chat.token(), **{"Accept-Language": "ko"})
    assert (response.status_code, response.json()["code"]) == (503, "identity_unavailable")
    assert int(response.headers["retry-after"]) > 0
    assert "로그인" in response.json()["detail"]
    chat.issuer.status = 200
    chat.clock.advance(int(response.headers["retry-after"]))
    assert (await chat.get(ALL, chat.token())).status_code == 200
