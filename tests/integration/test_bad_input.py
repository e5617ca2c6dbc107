"""Whatever is wrong with a request: the right status, a stable code, words in the caller's language, nothing stored."""

import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import jwt
import pytest

from local.loopback import NO_AUTHORITIES
from tests.support.chat_client import ANSWER_WITHIN_S, CONSENTS, OPENING, Person, signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import Stored

PROJECT = "demo-cbot"
ALL = "/api/conversations"
CHAT = "/api/conversations/{own}/chat"
JSON = {"Content-Type": "application/json"}
HANGUL = re.compile(r"[가-힣]")
WORDS = "요즘 잠이 안 와요."
UNHEARD_OF = "nosuchconversation"


@dataclass(frozen=True)
class Bad:
    """A request that must be refused; `{own}` and `{other}` in the path are conversations.

    Attributes:
        says: Must stand in the detail.
    """

    why: str
    status: int
    code: str
    path: str = CHAT
    method: str = "POST"
    body: Any = None
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    says: str = ""

    def __str__(self) -> str:
        return self.why


def _message(text: Any, **more: Any) -> dict[str, Any]:
    return {"message_id": str(uuid4()), "text": text, **more}


def _opening(**changes: Any) -> dict[str, Any]:
    return {**OPENING, **changes}


def _without_consent(name: str) -> dict[str, Any]:
    return _opening(consents={**CONSENTS, name: False})


BAD = [
    Bad("half a JSON value", 400, "invalid_json", raw=b'{"message_id": "', headers=JSON),
    Bad("not UTF-8", 400, "invalid_json", raw=b'{"text": "\xff\xfe"}', headers=JSON),
    Bad("a key twice", 400, "invalid_json", raw=b'{"text": "a", "text": "b"}', headers=JSON),
    Bad("NaN", 400, "invalid_json", raw=b'{"text": NaN}', headers=JSON),
    Bad("nested very deeply", 400, "invalid_json", raw=b"[" * 30_000, headers=JSON),
    Bad("no body", 400, "invalid_json", raw=b"", headers=JSON),
    Bad("a list", 422, "invalid_request", body=[]),
    Bad("a number as text", 422, "invalid_request", body=_message(7), says="text"),
    Bad("no text", 422, "invalid_request", body={"message_id": str(uuid4())}, says="text"),
    Bad("no message id", 422, "invalid_request", body={"text": WORDS}, says="message_id"),
    Bad("a message id that is no UUID", 422, "invalid_request", body={"message_id": "1", "text": WORDS}),
    Bad("an unknown field", 422, "invalid_request", body=_message(WORDS, tetx="x")),
    Bad("an empty text", 422, "empty_text", body=_message("")),
    Bad("a text of blanks", 422, "empty_text", body=_message(" \n\t　 ")),
    Bad("a text of invisible letters", 422, "empty_text", body=_message("\u200b\u3164\ufe0f")),
    Bad("a text that is too long", 413, "text_too_long", body=_message("가" * 4001), says="4000"),
    Bad("a body that is too large", 413, "body_too_large", body=_message("가" * 80_000)),
    Bad("a lone surrogate", 422, "invalid_request", raw=b'{"message_id": "x", "text": "\\ud83d"}', headers=JSON),
    Bad("plain text", 415, "unsupported_media_type", raw=b"hello", headers={"Content-Type": "text/plain"}),
    Bad(
        "JSON in another charset",
        415,
        "unsupported_media_type",
        raw=b"{}",
        headers={"Content-Type": "application/json; charset=euc-kr"},
    ),
    Bad("no media type", 415, "unsupported_media_type", raw=b"{}"),
    Bad("PUT", 405, "method_not_allowed", method="PUT", body=_message(WORDS)),
    Bad("DELETE of a list", 405, "method_not_allowed", path=ALL, method="DELETE"),
    Bad("an unknown address", 404, "not_found", path="/api/nothing", method="GET"),
    Bad("an unknown conversation", 404, "not_found", path=f"{ALL}/{UNHEARD_OF}/chat", body=_message(WORDS)),
    Bad("another's conversation", 404, "not_found", path="/api/conversations/{other}/chat", body=_message(WORDS)),
    Bad("another's history", 404, "not_found", path="/api/conversations/{other}/messages", method="GET"),
    Bad("another's data", 404, "not_found", path="/api/conversations/{other}/export", method="GET"),
    Bad("deleting another's conversation", 404, "not_found", path="/api/conversations/{other}", method="DELETE"),
    Bad("ending another's conversation", 404, "not_found", path="/api/conversations/{other}/end"),
    Bad("an id that climbs", 404, "not_found", path=f"{ALL}/..%2f..%2fsessions/messages", method="GET"),
    Bad("an unknown turn", 404, "not_found", path=f"/api/conversations/{{own}}/turns/{uuid4()}", method="GET"),
    Bad("a negative page", 422, "invalid_request", path="/api/conversations/{own}/messages?limit=-1", method="GET"),
    Bad(
        "rating a session that goes on",
        409,
        "session_open",
        path="/api/conversations/{own}/satisfaction",
        body={"rating": 5},
    ),
    Bad("a rating of 6", 422, "invalid_request", path="/api/conversations/{own}/satisfaction", body={"rating": 6}),
    Bad(
        "a parameter that nobody reads",
        422,
        "invalid_request",
        path="/api/conversations/{own}/messages?limt=5",
        method="GET",
        says="limt",
    ),
    Bad("under 14", 403, "guardian_required", path=ALL, body=_opening(age_band="under_14")),
    Bad("no age", 422, "invalid_request", path=ALL, body={"consents": CONSENTS}, says="age_band"),
    Bad("no consents", 403, "consent_required", path=ALL, body=_opening(consents={})),
    Bad(
        "one consent missing",
        403,
        "consent_required",
        path=ALL,
        body=_without_consent("sensitive_data"),
    ),
    Bad(
        "a consent that is no boolean",
        422,
        "invalid_request",
        path=ALL,
        body=_without_consent("terms") | {"consents": {**CONSENTS, "terms": "yes"}},
        says="consents.terms: ",
    ),
    Bad("a field by its name in Python", 422, "invalid_request", path=ALL, body=_opening(register_="반말")),
    Bad("an unknown language", 422, "invalid_request", path=ALL, body=_opening(locale="fr"), says="locale"),
    Bad("an unknown persona", 422, "invalid_request", path=ALL, body=_opening(persona="Type_Z"), says="persona"),
]


@pytest.fixture
async def strangers(person: Person, server: LocalServer) -> AsyncIterator[dict[str, str]]:
    """The person's conversation and somebody else's."""
    async with signed_in(server.address) as other:
        yield {"own": (await person.open()).id, "other": (await other.open()).id}


async def test_a_bad_request_is_refused_in_words_and_leaves_nothing(
    person: Person, strangers: dict[str, str], store: Stored, model: Simulator, subtests: pytest.Subtests
) -> None:
    for bad in BAD:
        for language in ("ko", "en"):
            with subtests.test(bad=bad, language=language):
                before = await store.count()
                response = await person.http.request(
                    bad.method,
                    bad.path.format(**strangers),
                    content=bad.raw
                    if bad.raw is not None
                    else None
                    if bad.body is None
                    else json.dumps(bad.body).encode(),
                    headers={**({} if bad.body is None else JSON), **bad.headers, "Accept-Language": language},
                )
                _require_problem(response, bad.status, bad.code, language)
                assert bad.says in response.json()["detail"]
                if bad.status == 405:
                    assert response.headers["allow"]
                assert await store.count() == before
                assert model.calls() == {}


async def test_a_call_without_a_token_is_not_let_in(
    person: Person, server: LocalServer, subtests: pytest.Subtests
) -> None:
    cases = [
        ("no token", ""),
        ("another scheme", "Basic dXNlcjpwYXNz"),
        ("no token behind the scheme", "Bearer"),
        ("noise", "Bearer not-a-token"),
        ("a space within", "Bearer a b"),
    ]
    for why, authorization in cases:
        with subtests.test(why=why):
            async with httpx.AsyncClient(
                base_url=server.address, timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES
            ) as http:
                headers = {"Authorization": authorization} if authorization else {}
                response = await http.post(ALL, json=OPENING, headers=headers)
            _require_problem(response, 401, "unauthenticated", "ko")
            assert response.headers["www-authenticate"] == "Bearer"


def _claims(**changes: Any) -> dict[str, Any]:
    now = int(time.time())
    claims = {
        "iss": f"https://securetoken.google.com/{PROJECT}",
        "aud": PROJECT,
        "sub": "somebody",
        "iat": now,
        "auth_time": now,
        "exp": now + 600,
    }
    return {name: value for name, value in {**claims, **changes}.items() if value is not None}


async def test_a_forged_token_does_not_open_anothers_conversation(person: Person, server: LocalServer) -> None:
    conversation = await person.open()
    forged = jwt.encode(_claims(sub=person.uid), key="a key of the forger and of nobody else", algorithm="HS256")
    async with httpx.AsyncClient(
        base_url=server.address, timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES
    ) as http:
        response = await http.get(f"{ALL}/{conversation.id}", headers={"Authorization": f"Bearer {forged}"})
    _require_problem(response, 401, "unauthenticated", "ko")


async def test_an_ended_conversation_takes_no_message_but_can_be_read_and_rated(person: Person) -> None:
    conversation = await person.open()
    await person.say(conversation.id, WORDS)
    assert (await person.http.post(f"{ALL}/{conversation.id}/end")).status_code == 200
    _require_problem(await person.send(conversation.id, WORDS), 409, "session_ended", "ko")
    assert len(await person.messages(conversation.id)) == 3
    rated = await person.http.post(f"{ALL}/{conversation.id}/satisfaction", json={"rating": 5})
    assert rated.status_code == 204


async def test_nothing_of_what_was_refused_stands_in_the_log(
    server: LocalServer, person: Person, strangers: dict[str, str]
) -> None:
    secret = "아무에게도 말하지 않은 이야기 " * 400
    response = await person.send(strangers["own"], secret)
    assert response.status_code == 413
    assert secret[:20] not in response.text
    assert secret[:20] not in server.stderr
    assert "Traceback" not in server.stderr


def _require_problem(response: httpx.Response, status: int, code: str, language: str) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert (response.headers["content-language"], response.headers["cache-control"]) == (language, "no-store")
    problem = response.json()
    assert {"type", "title", "status", "code", "detail"} <= set(problem)
    assert (problem["status"], problem["code"]) == (status, code)
    for words in (problem["title"], problem["detail"]):
        assert words
        assert bool(HANGUL.search(words)) == (language == "ko"), words
