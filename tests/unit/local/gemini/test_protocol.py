"""The simulator reads what the API reads, refuses what it refuses, and answers in its form."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from local.gemini.latency import INSTANT, Latency
from local.gemini.problems import ApiProblem
from local.gemini.protocol import parse_generate
from local.gemini.roles import role_of
from local.gemini.server import RunningSimulator, serve
from local.gemini.tokens import count_tokens, split_tokens

HELLO = {"contents": [{"role": "user", "parts": [{"text": "안녕"}]}]}
SCHEMA = {
    "title": "TaskCompletion",
    "type": "object",
    "properties": {"done": {"type": "boolean"}},
    "required": ["done"],
}
JSON_CONFIG = {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}
GENERATE = "/v1/models/gemini-3.6-flash:generateContent"
STREAM = "/v1/models/gemini-3.6-flash:streamGenerateContent"


@pytest.fixture
async def running() -> AsyncIterator[RunningSimulator]:
    async with await serve(latency=INSTANT) as running:
        yield running


@pytest.fixture
async def client(running: RunningSimulator) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=running.address, headers={"x-goog-api-key": "k"}) as client:
        yield client


def parse(body: object) -> Any:
    return parse_generate("gemini-3.6-flash", json.dumps(body).encode())


def test_both_spellings_of_keys_are_read() -> None:
    contents = HELLO["contents"]
    camel = parse(
        {"contents": contents, "systemInstruction": {"parts": [{"text": "S"}]}, "generationConfig": JSON_CONFIG}
    )
    snake = parse(
        {
            "contents": contents,
            "system_instruction": {"parts": {"text": "S"}},
            "generation_config": {"response_mime_type": "application/json", "response_json_schema": SCHEMA},
        }
    )
    assert (camel.system, camel.contents, camel.schema) == (snake.system, snake.contents, snake.schema)
    assert (camel.system, camel.contents[0].text) == ("S", "안녕")
    assert camel.schema == SCHEMA


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "contents is not specified"),
        ({"contents": []}, "contents is not specified"),
        ({"contents": "hello"}, "contents is not specified"),
        ({"contents": [{"role": "system", "parts": [{"text": "x"}]}]}, "valid role"),
        ({"contents": [{"parts": []}]}, "must not be empty"),
        ({"contents": [{"parts": [{}]}]}, "required oneof field"),
        ({"contents": ["x"]}, "an object is expected"),
        ({**HELLO, "prompt": 1}, 'Unknown name "prompt"'),
        ({**HELLO, "generationConfig": {"tokens": 1}}, 'Unknown name "tokens"'),
        ({**HELLO, "generationConfig": {"temperature": 3}}, "range"),
        ({**HELLO, "generationConfig": {"maxOutputTokens": 0}}, "positive"),
        ({**HELLO, "generationConfig": {"responseJsonSchema": SCHEMA}}, "only supported with"),
        ({**HELLO, "generationConfig": {**JSON_CONFIG, "responseSchema": SCHEMA}}, "Only one of"),
        ([], "an object is expected"),
    ],
)
def test_a_malformed_request_is_refused_with_its_reason(body: object, message: str) -> None:
    with pytest.raises(ApiProblem, match=message) as caught:
        parse(body)
    assert (caught.value.code, caught.value.status) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("extra", "role"),
    [
        ({}, "Counselor"),
        ({"generationConfig": JSON_CONFIG}, "TaskCompletion"),
        (
            {
                "generationConfig": {
                    "responseMimeType": "application/json",
                    "responseJsonSchema": {"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object"}}},
                }
            },
            "Node",
        ),
    ],
)
def test_the_calling_agent_is_inferred(extra: dict[str, Any], role: str) -> None:
    assert role_of(parse({**HELLO, **extra})) == role


@pytest.mark.parametrize("text", ["", "안녕하세요, 오늘은 어떠세요?", "Hello world 12345\n\n끝😀"])
def test_tokens_joined_are_the_text(text: str) -> None:
    assert "".join(split_tokens(text)) == text
    assert count_tokens(text) <= max(len(text), 0)


async def test_a_reply_has_googles_form_and_says_that_it_is_a_demo(client: httpx.AsyncClient) -> None:
    reply = await client.post(GENERATE, json=HELLO)
    body = reply.json()
    assert reply.headers["x-cbot-demo"] == "gemini-simulator"
    assert body["modelVersion"] == "gemini-3.6-flash-simulator"
    assert body["candidates"][0]["finishReason"] == "STOP"
    assert body["usageMetadata"]["totalTokenCount"] > body["usageMetadata"]["candidatesTokenCount"] > 0


async def test_only_the_last_chunk_of_a_stream_has_a_finish_reason(client: httpx.AsyncClient) -> None:
    reply = await client.post(STREAM, params={"alt": "sse"}, json=HELLO)
    assert reply.headers["content-type"].startswith("text/event-stream")
    chunks = [json.loads(line.removeprefix("data: ")) for line in reply.text.split("\r\n\r\n") if line]
    reasons = [chunk["candidates"][0].get("finishReason") for chunk in chunks]
    assert len(chunks) > 5
    assert reasons == [None] * (len(chunks) - 1) + ["STOP"]
    assert all(len(chunk["candidates"][0]["content"]["parts"][0]["text"]) <= 3 for chunk in chunks)


async def test_without_sse_a_stream_is_one_json_array(client: httpx.AsyncClient) -> None:
    reply = await client.post(STREAM, json=HELLO)
    assert len(reply.json()) > 5


async def test_vertex_paths_answer_to_a_bearer_only(client: httpx.AsyncClient) -> None:
    path = "/v1beta1/projects/p/locations/l/publishers/google/models/gemini-3.6-flash:generateContent"
    assert (await client.post(path, json=HELLO)).status_code == 401
    reply = await client.post(path, json=HELLO, headers={"authorization": "Bearer t"})
    assert reply.json()["candidates"]


@pytest.mark.parametrize(
    ("key", "code", "message"), [("", 403, "unregistered callers"), ("invalid", 400, "API key not valid")]
)
async def test_a_missing_or_wrong_key_is_refused(client: httpx.AsyncClient, key: str, code: int, message: str) -> None:
    reply = await client.post(GENERATE, json=HELLO, headers={"x-goog-api-key": key})
    assert reply.status_code == reply.json()["error"]["code"] == code
    assert message in reply.json()["error"]["message"]


async def test_bodies_that_are_no_json_models_and_methods_that_do_not_exist_are_refused(
    client: httpx.AsyncClient,
) -> None:
    assert (await client.post(GENERATE, content=b"{")).json()["error"]["status"] == "INVALID_ARGUMENT"
    assert (await client.post("/v1/models/gpt:generateContent", json=HELLO)).status_code == 404
    assert (await client.post("/v1/models/gemini-3.6-flash:think", json=HELLO)).status_code == 404


async def test_models_tokens_and_embeddings_are_served(client: httpx.AsyncClient) -> None:
    names = [model["name"] for model in (await client.get("/v1beta/models")).json()["models"]]
    assert (await client.get(f"/v1beta/{names[0]}")).json()["name"] == names[0]
    assert (await client.post("/v1/models/gemini-3.6-flash:countTokens", json=HELLO)).json() == {"totalTokens": 1}
    nested = {"generateContentRequest": {"model": "m", **HELLO}}
    assert (await client.post("/v1/models/gemini-3.6-flash:countTokens", json=nested)).json() == {"totalTokens": 1}
    content = {"content": {"parts": [{"text": "안녕"}]}, "output_dimensionality": 16}
    one = (await client.post("/v1/models/gemini-embedding-001:embedContent", json=content)).json()
    many = (
        await client.post("/v1/models/gemini-embedding-001:batchEmbedContents", json={"requests": [content] * 2})
    ).json()
    assert many["embeddings"] == [one["embedding"]] * 2
    assert sum(value**2 for value in one["embedding"]["values"]) == pytest.approx(1)
    assert len(one["embedding"]["values"]) == 16


async def test_a_fault_hits_its_agent_so_many_times(client: httpx.AsyncClient) -> None:
    fault = {"fault": "unavailable", "agent": "taskcompletion", "times": 1}
    await client.post("/control/faults", json=fault)
    asked = {**HELLO, "generationConfig": JSON_CONFIG}
    assert (await client.post(GENERATE, json=HELLO)).status_code == 200
    assert (await client.get("/control/faults")).json()[0]["fault"] == "unavailable"
    assert (await client.post(GENERATE, json=asked)).status_code == 503
    assert (await client.post(GENERATE, json=asked)).status_code == 200
    await client.post("/control/faults", json={"fault": "rate_limit"})
    await client.delete("/control/faults")
    assert (await client.post(GENERATE, json=HELLO)).status_code == 200
    calls = (await client.get("/control/calls")).json()
    assert calls["total"] == 4
    assert calls["agents"] == {"Counselor": 2, "TaskCompletion": 2}
    assert [call["outcome"] for call in calls["recent"]] == ["answered", "refused", "answered", "answered"]
    await client.delete("/control/calls")
    assert (await client.get("/control/calls")).json()["total"] == 0


async def test_a_script_is_answered_in_order_and_then_the_brain_again(client: httpx.AsyncClient) -> None:
    await client.put("/control/script", json={"counselor": ["하나", "둘"], "TaskCompletion": [{"done": True}]})
    texts = [(await client.post(GENERATE, json=HELLO)).json() for _ in range(3)]
    said = [body["candidates"][0]["content"]["parts"][0]["text"] for body in texts]
    assert said[:2] == ["하나", "둘"]
    assert said[2] not in said[:2]
    judged = (await client.post(GENERATE, json={**HELLO, "generationConfig": JSON_CONFIG})).json()
    assert json.loads(judged["candidates"][0]["content"]["parts"][0]["text"]) == {"done": True}


async def test_latency_can_be_changed_while_it_runs(client: httpx.AsyncClient, running: RunningSimulator) -> None:
    await client.put("/control/latency", json={"ttft_ms": 1, "token_ms": 2})
    assert running.simulator.latency == Latency(ttft_ms=1, token_ms=2)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/control/faults", {"fault": "earthquake"}),
        ("PUT", "/control/latency", {"ttft_ms": -1}),
        ("PUT", "/control/script", ["x"]),
    ],
)
async def test_a_control_body_that_does_not_fit_is_refused(
    client: httpx.AsyncClient, method: str, path: str, body: object
) -> None:
    assert (await client.request(method, path, json=body)).status_code == 422


async def test_stopping_cuts_what_still_hangs() -> None:
    running = await serve(latency=INSTANT)
    async with httpx.AsyncClient(base_url=running.address, headers={"x-goog-api-key": "k"}) as client:
        await client.post("/control/faults", json={"fault": "hang"})
        asked = asyncio.create_task(client.post(GENERATE, json=HELLO))
        async with asyncio.timeout(3):
            while running.simulator.calls.total == 0:  # noqa: ASYNC110 -- polled with a deadline
                await asyncio.sleep(0.005)
            await running.stop()
            await asyncio.wait([asked])
    assert asked.exception() is not None or asked.result().status_code == 500
