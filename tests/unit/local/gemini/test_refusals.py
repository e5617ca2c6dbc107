"""The simulator refuses what the real API refuses, in its words."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from local.gemini.latency import INSTANT
from local.gemini.server import serve

HELLO = {"contents": [{"role": "user", "parts": [{"text": "안녕"}]}]}
SERVED = "gemini-3.6-flash"
JSON = "application/json"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with (
        await serve(latency=INSTANT) as running,
        httpx.AsyncClient(base_url=running.address, headers={"x-goog-api-key": "k"}) as client,
    ):
        yield client


async def told(
    client: httpx.AsyncClient, model: str = SERVED, version: str = "v1", **sent: Any
) -> tuple[int, str, str]:
    """Return status, name and words of the answer to a call; (200, "", "") when it was answered."""
    headers = sent.pop("headers", {})
    body = HELLO | ({"generationConfig": sent} if sent else {})
    answer = await client.post(f"/{version}/models/{model}:generateContent", json=body, headers=headers)
    error = answer.json().get("error", {})
    return answer.status_code, error.get("status", ""), error.get("message", "")


@pytest.mark.parametrize(("seconds", "code"), [("5", 400), ("9.9", 400), ("10", 200), ("30", 200), ("soon", 400)])
async def test_deadlines_under_ten_seconds(client: httpx.AsyncClient, seconds: str, code: int) -> None:
    status, _, words = await told(client, headers={"x-server-timeout": seconds})
    assert status == code
    assert ("Minimum allowed deadline is 10s" in words) is (code == 400 and seconds != "soon")


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"])
async def test_retired_models(client: httpx.AsyncClient, model: str) -> None:
    status, name, words = await told(client, model)
    assert (status, name) == (404, "NOT_FOUND")
    assert "no longer available" in words
    assert (await client.get(f"/v1/models/{model}")).status_code == 404


async def test_unknown_models_and_aliases_outside_the_beta_version(client: httpx.AsyncClient) -> None:
    assert (await told(client, "gemini-9-flash"))[:2] == (404, "NOT_FOUND")
    assert (await told(client, "gemini-flash-latest"))[:2] == (404, "NOT_FOUND")
    assert (await told(client, "gemini-flash-latest", version="v1beta"))[0] == 200


@pytest.mark.parametrize(
    ("model", "thinking", "code"),
    [
        (SERVED, {"thinkingLevel": "MINIMAL"}, 200),
        (SERVED, {"thinking_level": "low"}, 200),
        (SERVED, {"thinkingBudget": 0}, 400),
        (SERVED, {"thinkingLevel": "LOW", "thinkingBudget": 0}, 400),
        (SERVED, {"thinkingLevel": "XHIGH"}, 400),
        (SERVED, "low", 400),
        ("gemini-3.8-flash", {"thinkingLevel": "MINIMAL"}, 400),
        ("gemini-3.7-flash", {"thinkingLevel": "minimal"}, 400),
        ("gemini-3.8-flash", {"thinkingLevel": "HIGH"}, 200),
    ],
)
async def test_thinking_in_a_way_or_at_a_level_that_the_model_lacks(
    client: httpx.AsyncClient, model: str, thinking: object, code: int
) -> None:
    assert (await told(client, model, thinkingConfig=thinking, maxOutputTokens=8000))[0] == code


@pytest.mark.parametrize(
    "config",
    [{"frequencyPenalty": 0.5}, {"presencePenalty": 0.5}, {"candidateCount": 2}],
    ids=lambda one: next(iter(one)),
)
async def test_penalties_and_several_candidates(client: httpx.AsyncClient, config: dict[str, object]) -> None:
    assert (await told(client, **config))[:2] == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    "setting",
    [
        {"category": "HARM_CATEGORY_SELF_HARM", "threshold": "OFF"},
        {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "NEVER"},
    ],
)
async def test_harm_categories_and_thresholds_that_do_not_exist(
    client: httpx.AsyncClient, setting: dict[str, str]
) -> None:
    body = HELLO | {"safetySettings": [setting]}
    assert (await client.post(f"/v1/models/{SERVED}:generateContent", json=body)).status_code == 400


async def test_a_quota_says_when_to_come_again(client: httpx.AsyncClient) -> None:
    await client.post("/control/faults", json={"fault": "rate_limit", "times": 1})
    answer = await client.post(f"/v1/models/{SERVED}:generateContent", json=HELLO)
    assert answer.status_code == 429
    assert answer.json()["error"]["details"][0]["retryDelay"] == "2s"


async def test_but_not_a_temperature_which_is_ignored(client: httpx.AsyncClient) -> None:
    assert (await told(client, temperature=0.2))[0] == 200


@pytest.mark.parametrize(
    ("field", "keyword"),
    [
        ({"type": "string", "minLength": 1}, "minLength"),
        ({"type": "string", "pattern": "x"}, "pattern"),
        ({"const": "x"}, "const"),
        ({"type": "integer", "exclusiveMinimum": 0}, "exclusiveMinimum"),
        ({"type": "string", "default": "x"}, "default"),
        ({"type": "array", "items": {"type": "string", "maxLength": 9}}, "maxLength"),
        ({"anyOf": [{"type": "string", "not": {}}]}, "not"),
        ({"type": "string", "format": "email"}, "email"),
        ({"enum": ["a", None]}, "enum"),
        ({"$ref": "#/$defs/X", "description": "x"}, "$ref"),
    ],
)
async def test_schema_keywords_that_the_api_does_not_know(
    client: httpx.AsyncClient, field: dict[str, object], keyword: str
) -> None:
    schema = {"type": "object", "properties": {"a": field}, "required": ["a"], "$defs": {"X": {"type": "string"}}}
    status, _, words = await told(client, responseMimeType=JSON, responseJsonSchema=schema)
    assert status == 400
    assert keyword in words


async def test_keys_that_are_denied_or_used_from_elsewhere(client: httpx.AsyncClient) -> None:
    assert (await told(client, headers={"x-goog-api-key": "denied"}))[:2] == (403, "PERMISSION_DENIED")
    status, name, words = await told(client, headers={"x-goog-api-key": "elsewhere"})
    assert (status, name) == (400, "FAILED_PRECONDITION")
    assert "User location is not supported" in words


async def test_function_calls_without_their_thought_signature(client: httpx.AsyncClient) -> None:
    def body(**signature: str) -> bytes:
        call = {"functionCall": {"name": "index", "args": {}}, **signature}
        response = {"functionResponse": {"name": "index", "response": {}}}
        turns = [*HELLO["contents"], {"role": "model", "parts": [call]}, {"role": "user", "parts": [response]}]
        return json.dumps({"contents": turns}).encode()

    url = f"/v1/models/{SERVED}:generateContent"
    refused = await client.post(url, content=body())
    assert refused.status_code == 400
    assert "thought_signature" in refused.text
    assert (await client.post(url, content=body(thoughtSignature="c2ln"))).status_code == 200


async def test_thoughts_eat_the_cap_of_the_answer_and_are_counted(client: httpx.AsyncClient) -> None:
    answer = await client.post(
        f"/v1/models/{SERVED}:generateContent", json=HELLO | {"generationConfig": {"maxOutputTokens": 64}}
    )
    (candidate,) = answer.json()["candidates"]
    assert candidate["finishReason"] == "MAX_TOKENS"
    assert "parts" not in candidate["content"]
    assert answer.json()["usageMetadata"]["thoughtsTokenCount"] == 64


async def test_a_fault_of_one_model_leaves_the_others(client: httpx.AsyncClient) -> None:
    await client.post("/control/faults", json={"fault": "model_gone", "model": SERVED})
    assert (await told(client))[0] == 404
    assert (await client.get(f"/v1/models/{SERVED}")).status_code == 404
    assert (await told(client, "gemini-3.5-flash-lite"))[0] == 200
    assert (await client.get("/v1/models/gemini-3.5-flash-lite")).status_code == 200
