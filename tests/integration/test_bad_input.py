"""A bad request gets the right status, a stable code and a problem in the caller's language; nothing is stored."""

import json
import re
from uuid import uuid4

import pytest

from tests.support.chat_client import CONSENTS, OPENING, signed_in

ALL = "/api/conversations"
OWN, OTHERS = f"{ALL}/{{own}}", f"{ALL}/{{other}}"
HANGUL = re.compile(r"[가-힣]")
WORDS = "요즘 잠이 안 와요."


def message(text, **more):
    return {"message_id": str(uuid4()), "text": text, **more}


def opening(**changes):
    return {**OPENING, **changes}


NOT_JSON = {
    "half a JSON value": b'{"message_id": "', "not UTF-8": b'{"text": "\xff\xfe"}',
    "a key twice": b'{"text": "a", "text": "b"}', "nested very deeply": b"[" * 30_000,
}  # fmt: skip
MESSAGES = (
    ({"text": WORDS}, 422, "invalid_request", "message_id"),
    (message(WORDS, tetx="x"), 422, "invalid_request", ""),
    (message(" \n\t　\u200b\u3164\ufe0f"), 422, "empty_text", ""),
    (message("가" * 4001), 413, "text_too_long", "4000"),
    (message("가" * 80_000), 413, "body_too_large", ""),
    (message("\ud83d"), 422, "invalid_request", ""),
)
OPENINGS = (
    (opening(age_band="under_14"), 403, "guardian_required", ""),
    ({"consents": CONSENTS}, 422, "invalid_request", "age_band"),
    (opening(consents={}), 403, "consent_required", ""),
    (opening(consents={**CONSENTS, "sensitive_data": False}), 403, "consent_required", ""),
    (opening(locale="fr"), 422, "invalid_request", "locale"),
)
PHQ9 = {"measure": "phq9", "moment": "start", "answers": [0] * 9}
REQUESTS = (
    ("PUT", f"{OWN}/chat", message(WORDS), 405, "method_not_allowed"),
    ("POST", f"{ALL}/nosuchconversation/chat", message(WORDS), 404, "not_found"),
    ("POST", f"{OTHERS}/chat", message(WORDS), 404, "not_found"),
    ("GET", f"{OTHERS}/messages", None, 404, "not_found"),
    ("GET", f"{OTHERS}/export", None, 404, "not_found"),
    ("DELETE", OTHERS, None, 404, "not_found"),
    ("POST", f"{OTHERS}/end", None, 404, "not_found"),
    ("GET", f"{ALL}/..%2f..%2fsessions/messages", None, 404, "not_found"),
    ("GET", f"{OWN}/messages?limit=-1", None, 422, "invalid_request"),
    ("POST", f"{OWN}/satisfaction", {"rating": 5}, 409, "session_open"),
    ("POST", f"{OTHERS}/measures", PHQ9, 404, "not_found"),
    ("POST", f"{OWN}/measures", {**PHQ9, "answers": [0] * 8}, 422, "answers_do_not_fit"),
    ("POST", f"{OWN}/measures", {**PHQ9, "moment": "end"}, 409, "measure_closed"),
)
OTHER_MEDIA = ({"Content-Type": "text/plain"}, {"Content-Type": "application/json; charset=euc-kr"}, {})


def bad_requests():
    """Yield method, path, body, headers, status, code and what the detail must name."""
    media = {"Content-Type": "application/json"}
    for raw in NOT_JSON.values():
        yield "POST", f"{OWN}/chat", raw, media, 400, "invalid_json", ""
    for headers in OTHER_MEDIA:
        yield "POST", f"{OWN}/chat", b"{}", headers, 415, "unsupported_media_type", ""
    for path, cases in ((f"{OWN}/chat", MESSAGES), (ALL, OPENINGS)):
        for body, *expected in cases:
            yield "POST", path, json.dumps(body).encode(), media, *expected
    for method, path, body, *expected in REQUESTS:
        yield method, path, body and json.dumps(body).encode(), media if body else {}, *expected, ""


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_a_bad_request_gets_a_problem_in_the_callers_language_and_stores_nothing(
    person, server, store, model, subtests, language
):
    async with signed_in(server.address) as other:
        own = {"own": (await person.open()).id, "other": (await other.open()).id}
    before = await store.count()
    for method, path, body, headers, status, code, says in bad_requests():
        with subtests.test(method=method, path=path, body=(body or b"")[:80], status=status):
            sent = {**headers, "Accept-Language": language}
            response = await person.http.request(method, path.format(**own), content=body, headers=sent)
            assert response.status_code == status, response.text
            assert response.headers["content-type"] == "application/problem+json"
            assert (response.headers["content-language"], response.headers["cache-control"]) == (language, "no-store")
            assert status != 405 or response.headers["allow"]
            problem = response.json()
            assert {"type", "title", "status", "code", "detail"} <= set(problem)
            assert (problem["status"], problem["code"]) == (status, code)
            assert says in problem["detail"]
            assert all(bool(HANGUL.search(problem[name])) == (language == "ko") for name in ("title", "detail")), (
                problem
            )
            assert await store.count() == before
    assert model.calls() == {}
