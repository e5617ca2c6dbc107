import json

import httpx
from pydantic import BaseModel
from starlette.requests import ClientDisconnect

from shared.observability.traces import trace_of
from shared.web.error_middleware import ErrorMiddleware

WORDS = "the words of a person"


class Note(BaseModel):
    text: int


async def breaks(scope, receive, send):
    Note.model_validate({"text": WORDS})


def client(app, texts):
    return httpx.AsyncClient(transport=httpx.ASGITransport(ErrorMiddleware(app, texts)), base_url="http://test")


async def test_a_surprise_becomes_a_problem_and_a_traceback_in_the_log(texts, caplog):
    async with client(breaks, texts) as http:
        response = await http.get("/api", headers={"Accept-Language": "en-GB"})
    assert response.status_code == 500
    assert response.json()["title"] == "internal en"
    assert "Traceback" not in response.text
    assert "in breaks" in caplog.text
    assert "ValidationError" in caplog.text


async def test_the_log_never_quotes_what_was_met(texts, caplog):
    async with client(breaks, texts) as http:
        await http.get("/api")
    assert WORDS not in caplog.text


async def test_an_answer_under_way_is_cut_and_logged(texts, caplog):
    sent = []

    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    async def send(message):
        sent.append(message["type"])

    await ErrorMiddleware(half, texts)({"type": "http", "method": "GET", "path": "/", "headers": []}, None, send)

    assert sent == ["http.response.start"]
    assert "RuntimeError" in caplog.text


async def test_a_client_that_went_away_is_no_error(texts, caplog):
    async def gone(scope, receive, send):
        raise ClientDisconnect

    await ErrorMiddleware(gone, texts)({"type": "http", "method": "GET", "path": "/", "headers": []}, None, None)

    assert not caplog.records


async def test_what_is_not_http_passes_through(texts):
    seen = []

    async def app(scope, receive, send):
        seen.append(scope["type"])

    await ErrorMiddleware(app, texts)({"type": "lifespan"}, None, None)

    assert seen == ["lifespan"]


def test_a_trace_tells_the_causes_and_ends_even_in_a_circle():
    one, two = RuntimeError("x"), ValueError("y")
    one.__cause__, two.__cause__ = two, one
    assert trace_of(one) == "RuntimeError\ncaused by:\nValueError"
    assert json.dumps(trace_of(one))
