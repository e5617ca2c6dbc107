"""The simulator reads, refuses and answers requests as the Gemini API does."""

import json

import httpx
import pytest

from local.gemini.latency import INSTANT
from local.gemini.problems import ApiProblem
from local.gemini.protocol import parse_generate
from local.gemini.schema_answers import answer_for
from local.gemini.server import serve

HELLO = {"contents": [{"role": "user", "parts": [{"text": "안녕"}]}]}
SCHEMA = {
    "title": "TaskCompletion",
    "type": "object",
    "properties": {"done": {"type": "boolean"}},
    "required": ["done"],
}
JSON_CONFIG = {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}
SERVED = "gemini-3.6-flash"
GENERATE = f"/v1/models/{SERVED}:generateContent"
STREAM = f"/v1/models/{SERVED}:streamGenerateContent"
KEY = {"x-goog-api-key": "k"}


@pytest.fixture
async def running():
    async with await serve(latency=INSTANT) as running:
        yield running


@pytest.fixture
async def client(running):
    async with httpx.AsyncClient(base_url=running.address, headers=KEY) as client:
        yield client


async def outcome(client, model=SERVED, version="v1", body=HELLO, headers=None, **config):
    """Call the model; return status code, error status and error message, (200, "", "") on success."""
    sent = body | ({"generationConfig": config} if config else {})
    answer = await client.post(f"/{version}/models/{model}:generateContent", json=sent, headers=headers)
    error = answer.json().get("error", {})
    return answer.status_code, error.get("status", ""), error.get("message", "")


class TestReading:
    def parse(self, body):
        return parse_generate(SERVED, json.dumps(body).encode())

    def test_both_spellings_of_keys_are_read(self):
        instruction = {"parts": {"text": "S"}}
        camel = self.parse({**HELLO, "systemInstruction": instruction, "generationConfig": JSON_CONFIG})
        config = {"response_mime_type": "application/json", "response_json_schema": SCHEMA}
        snake = self.parse({**HELLO, "system_instruction": instruction, "generation_config": config})
        assert (camel.system, camel.contents, camel.schema) == (snake.system, snake.contents, snake.schema)
        assert (camel.system, camel.contents[0].text, camel.schema) == ("S", "안녕", SCHEMA)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            *(({}, "contents is not specified"), ([], "an object is expected")),
            ({"contents": [{"role": "system", "parts": [{"text": "x"}]}]}, "valid role"),
            *(({"contents": [{"parts": []}]}, "must not be empty"), ({"tokens": 1}, 'Unknown name "tokens"')),
            *(({"temperature": 3}, "range"), ({"responseJsonSchema": SCHEMA}, "only supported with")),
        ],
    )
    def test_a_malformed_request_or_configuration_is_refused_with_its_reason(self, body, message):
        whole = not isinstance(body, dict) or not body or "contents" in body
        with pytest.raises(ApiProblem, match=message) as caught:
            self.parse(body if whole else {**HELLO, "generationConfig": body})
        assert (caught.value.code, caught.value.status) == (400, "INVALID_ARGUMENT")


class TestAnswers:
    async def test_a_reply_has_the_apis_form_and_is_marked_as_simulated(self, client):
        reply = await client.post(GENERATE, json=HELLO)
        body = reply.json()
        assert reply.headers["x-cbot-demo"] == "gemini-simulator"
        assert body["modelVersion"] == f"{SERVED}-simulator"
        assert body["candidates"][0]["finishReason"] == "STOP"
        assert body["usageMetadata"]["totalTokenCount"] > body["usageMetadata"]["candidatesTokenCount"] > 0

    async def test_only_the_last_chunk_of_a_stream_has_a_finish_reason(self, client):
        reply = await client.post(STREAM, params={"alt": "sse"}, json=HELLO)
        assert reply.headers["content-type"].startswith("text/event-stream")
        chunks = [json.loads(line.removeprefix("data: ")) for line in reply.text.split("\r\n\r\n") if line]
        found = [chunk["candidates"][0] for chunk in chunks]
        assert len(found) > 5
        assert [one.get("finishReason") for one in found] == [None] * (len(found) - 1) + ["STOP"]
        assert all(len(one["content"]["parts"][0]["text"]) <= 3 for one in found)


class TestControl:
    async def test_a_fault_affects_its_agent_the_given_number_of_times_and_calls_are_counted(self, client):
        await client.post("/control/faults", json={"fault": "unavailable", "agent": "taskcompletion", "times": 1})
        assert (await outcome(client))[0] == 200
        assert [(await outcome(client, **JSON_CONFIG))[0] for _ in range(2)] == [503, 200]
        await client.post("/control/faults", json={"fault": "rate_limit"})
        await client.delete("/control/faults")
        assert (await outcome(client))[0] == 200
        calls = (await client.get("/control/calls")).json()
        assert (calls["total"], calls["agents"]) == (4, {"Counselor": 2, "TaskCompletion": 2})
        assert [call["outcome"] for call in calls["recent"]] == ["answered", "refused", "answered", "answered"]
        await client.delete("/control/calls")
        assert (await client.get("/control/calls")).json()["total"] == 0

    async def test_a_fault_of_one_model_spares_the_others_and_a_rate_limit_names_its_retry_delay(self, client):
        await client.post("/control/faults", json={"fault": "model_gone", "model": SERVED})
        other = "gemini-3.5-flash-lite"
        for model, code in ((SERVED, 404), (other, 200)):
            look = {**HELLO, "generationConfig": {"maxOutputTokens": 1}}
            for sent in (look, HELLO):
                assert (await client.post(f"/v1/models/{model}:generateContent", json=sent)).status_code == code
        await client.delete("/control/faults")
        await client.post("/control/faults", json={"fault": "rate_limit", "times": 1})
        answer = await client.post(GENERATE, json=HELLO)
        assert (answer.status_code, answer.json()["error"]["details"][0]["retryDelay"]) == (429, "2s")


class TestRefusals:
    @pytest.mark.parametrize(("seconds", "code"), [("9.9", 400), ("10", 200), ("soon", 400)])
    async def test_deadlines_under_ten_seconds(self, client, seconds, code):
        assert (await outcome(client, headers={"x-server-timeout": seconds}))[0] == code

    @pytest.mark.parametrize(
        ("model", "thinking", "code"),
        [
            *((SERVED, {"thinkingLevel": "MINIMAL"}, 200), (SERVED, {"thinkingBudget": 0}, 400)),
            *((SERVED, {"thinkingLevel": "XHIGH"}, 400), ("gemini-3.8-flash", {"thinkingLevel": "MINIMAL"}, 400)),
        ],
    )
    async def test_thinking_modes_and_levels_that_the_model_lacks(self, client, model, thinking, code):
        assert (await outcome(client, model, thinkingConfig=thinking, maxOutputTokens=8000))[0] == code

    async def test_penalties_several_candidates_and_unknown_harms_but_not_the_ignored_temperature(self, client):
        for config in ({"frequencyPenalty": 0.5}, {"presencePenalty": 0.5}, {"candidateCount": 2}):
            assert (await outcome(client, **config))[:2] == (400, "INVALID_ARGUMENT")
        for category, threshold in (("SELF_HARM", "OFF"), ("HARASSMENT", "NEVER")):
            setting = {"category": f"HARM_CATEGORY_{category}", "threshold": threshold}
            assert (await outcome(client, body=HELLO | {"safetySettings": [setting]}))[0] == 400
        assert (await outcome(client, temperature=0.2))[0] == 200

    @pytest.mark.parametrize(
        ("field", "keyword"),
        [
            ({"type": "string", "minLength": 1}, "minLength"),
            ({"type": "array", "items": {"type": "string", "maxLength": 9}}, "maxLength"),
            *(({"anyOf": [{"type": "string", "not": {}}]}, "not"), ({"type": "string", "format": "email"}, "email")),
            *(({"enum": ["a", None]}, "enum"), ({"$ref": "#/$defs/X", "description": "x"}, "$ref")),
        ],
    )
    async def test_schema_keywords_that_the_api_does_not_know(self, client, field, keyword):
        schema = {"type": "object", "properties": {"a": field}, "required": ["a"], "$defs": {"X": {"type": "string"}}}
        status, _, words = await outcome(client, **JSON_CONFIG | {"responseJsonSchema": schema})
        assert status == 400
        assert keyword in words


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"type": ["string", "null"]}, None),
        ({"type": "array", "minItems": 1, "items": {"type": "boolean"}}, [False]),
        ({"required": ["a"], "properties": {"a": {"$ref": "#/properties/b"}, "b": {"enum": [1]}}}, {"a": 1, "b": 1}),
        *(({"type": "integer", "minimum": 1.5}, 2), ({"oneOf": [{"$ref": "#"}, {"type": "integer"}]}, 0), ({}, None)),
    ],
)
def test_a_bare_schema_is_answered(schema, answer):
    assert answer_for(schema) == answer
