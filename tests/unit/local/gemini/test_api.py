"""The simulator reads what the API reads, refuses what it refuses in its words, and answers in its form."""

import asyncio
import json

import httpx
import pytest

from local.gemini.latency import INSTANT, Latency
from local.gemini.problems import ApiProblem
from local.gemini.protocol import parse_generate
from local.gemini.roles import role_of
from local.gemini.server import serve
from local.gemini.tokens import count_tokens, split_tokens
from tests.support.polling import until

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


async def told(client, model=SERVED, version="v1", body=HELLO, headers=None, **config):
    """Return status, name and words of the answer to a call; (200, "", "") when it was answered."""
    sent = body | ({"generationConfig": config} if config else {})
    answer = await client.post(f"/{version}/models/{model}:generateContent", json=sent, headers=headers)
    error = answer.json().get("error", {})
    return answer.status_code, error.get("status", ""), error.get("message", "")


def text_of(answer):
    return answer.json()["candidates"][0]["content"]["parts"][0]["text"]


class TestReading:
    def parse(self, body):
        return parse_generate(SERVED, json.dumps(body).encode())

    def configured(self, **config):
        return {**HELLO, "generationConfig": config}

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
            *(({}, "contents is not specified"), ({"contents": []}, "contents is not specified")),
            *(({"contents": "hello"}, "contents is not specified"), ({"contents": ["x"]}, "an object is expected")),
            ({"contents": [{"role": "system", "parts": [{"text": "x"}]}]}, "valid role"),
            ({"contents": [{"parts": []}]}, "must not be empty"),
            *(({"contents": [{"parts": [{}]}]}, "required oneof field"), ([], "an object is expected")),
            *(({**HELLO, "prompt": 1}, 'Unknown name "prompt"'), ({"tokens": 1}, 'Unknown name "tokens"')),
            *(({"temperature": 3}, "range"), ({"maxOutputTokens": 0}, "positive")),
            ({"responseJsonSchema": SCHEMA}, "only supported with"),
            ({**JSON_CONFIG, "responseSchema": SCHEMA}, "Only one of"),
        ],
    )
    def test_a_malformed_request_or_configuration_is_refused_with_its_reason(self, body, message):
        whole = not isinstance(body, dict) or not body or "contents" in body
        with pytest.raises(ApiProblem, match=message) as caught:
            self.parse(body if whole else self.configured(**body))
        assert (caught.value.code, caught.value.status) == (400, "INVALID_ARGUMENT")

    def test_the_calling_agent_is_inferred(self):
        referring = {"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object"}}}
        for config, role in (
            *(({}, "Counselor"), (JSON_CONFIG, "TaskCompletion")),
            (JSON_CONFIG | {"responseJsonSchema": referring}, "Node"),
        ):
            assert role_of(self.parse(self.configured(**config))) == role

    @pytest.mark.parametrize("text", ["", "안녕하세요, 오늘은 어떠세요?", "Hello world 12345\n\n끝😀"])
    def test_tokens_joined_are_the_text(self, text):
        assert "".join(split_tokens(text)) == text
        assert count_tokens(text) <= len(text)


class TestAnswers:
    async def test_a_reply_has_googles_form_and_says_that_it_is_a_demo(self, client):
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

    async def test_thoughts_eat_the_cap_of_the_answer_and_are_counted(self, client):
        answer = (await client.post(GENERATE, json=HELLO | {"generationConfig": {"maxOutputTokens": 64}})).json()
        (candidate,) = answer["candidates"]
        assert candidate["finishReason"] == "MAX_TOKENS"
        assert "parts" not in candidate["content"]
        assert answer["usageMetadata"]["thoughtsTokenCount"] == 64


class TestControl:
    async def test_a_fault_hits_its_agent_so_many_times_and_calls_are_counted(self, client):
        await client.post("/control/faults", json={"fault": "unavailable", "agent": "taskcompletion", "times": 1})
        assert (await told(client))[0] == 200
        assert [(await told(client, **JSON_CONFIG))[0] for _ in range(2)] == [503, 200]
        await client.post("/control/faults", json={"fault": "rate_limit"})
        await client.delete("/control/faults")
        assert (await told(client))[0] == 200
        calls = (await client.get("/control/calls")).json()
        assert (calls["total"], calls["agents"]) == (4, {"Counselor": 2, "TaskCompletion": 2})
        assert [call["outcome"] for call in calls["recent"]] == ["answered", "refused", "answered", "answered"]
        await client.delete("/control/calls")
        assert (await client.get("/control/calls")).json()["total"] == 0

    async def test_a_fault_of_one_model_leaves_the_others_and_a_quota_says_when_to_come_again(self, client):
        await client.post("/control/faults", json={"fault": "model_gone", "model": SERVED})
        other = "gemini-3.5-flash-lite"
        for model, code in ((SERVED, 404), (other, 200)):
            assert (await told(client, model))[0] == (await client.get(f"/v1/models/{model}")).status_code == code
        await client.delete("/control/faults")
        await client.post("/control/faults", json={"fault": "rate_limit", "times": 1})
        answer = await client.post(GENERATE, json=HELLO)
        assert (answer.status_code, answer.json()["error"]["details"][0]["retryDelay"]) == (429, "2s")

    async def test_a_script_is_answered_in_order_and_then_the_brain_again(self, client):
        await client.put("/control/script", json={"counselor": ["하나", "둘"], "TaskCompletion": [{"done": True}]})
        said = [text_of(await client.post(GENERATE, json=HELLO)) for _ in range(3)]
        assert said[:2] == ["하나", "둘"]
        assert said[2] not in said[:2]
        judged = await client.post(GENERATE, json={**HELLO, "generationConfig": JSON_CONFIG})
        assert json.loads(text_of(judged)) == {"done": True}

    async def test_latency_can_be_changed_while_it_runs_and_a_body_that_does_not_fit_is_refused(self, client, running):
        await client.put("/control/latency", json={"ttft_ms": 1, "token_ms": 2})
        assert running.simulator.latency == Latency(ttft_ms=1, token_ms=2)
        for method, path, body in (
            ("POST", "/control/faults", {"fault": "earthquake"}),
            ("PUT", "/control/latency", {"ttft_ms": -1}),
            ("PUT", "/control/script", ["x"]),
        ):
            assert (await client.request(method, path, json=body)).status_code == 422

    async def test_stopping_cuts_what_still_hangs(self, running, client):
        await client.post("/control/faults", json={"fault": "hang"})
        asked = asyncio.create_task(client.post(GENERATE, json=HELLO))
        await until(lambda: running.simulator.calls.total)
        async with asyncio.timeout(3):
            await running.stop()
            await asyncio.wait([asked])
        assert asked.exception() is not None or asked.result().status_code == 500


class TestRefusals:
    @pytest.mark.parametrize(
        ("key", "code", "name", "words"),
        [
            ("", 403, "PERMISSION_DENIED", "unregistered callers"),
            ("invalid", 400, "INVALID_ARGUMENT", "API key not valid"),
            ("denied", 403, "PERMISSION_DENIED", ""),
            ("elsewhere", 400, "FAILED_PRECONDITION", "User location is not supported"),
        ],
    )
    async def test_keys_that_are_missing_wrong_denied_or_used_from_elsewhere(self, client, key, code, name, words):
        found = await told(client, headers={"x-goog-api-key": key})
        assert found[:2] == (code, name)
        assert words in found[2]

    async def test_vertex_paths_answer_to_a_bearer_only(self, client):
        path = f"/v1beta1/projects/p/locations/l/publishers/google/models/{SERVED}:generateContent"
        assert (await client.post(path, json=HELLO)).status_code == 401
        assert (await client.post(path, json=HELLO, headers={"authorization": "Bearer t"})).json()["candidates"]

    async def test_bodies_that_are_no_json_and_methods_that_do_not_exist(self, client):
        assert (await client.post(GENERATE, content=b"{")).json()["error"]["status"] == "INVALID_ARGUMENT"
        assert (await client.post(f"/v1/models/{SERVED}:think", json=HELLO)).status_code == 404

    @pytest.mark.parametrize(("seconds", "code"), [("5", 400), ("9.9", 400), ("10", 200), ("30", 200), ("soon", 400)])
    async def test_deadlines_under_ten_seconds(self, client, seconds, code):
        status, _, words = await told(client, headers={"x-server-timeout": seconds})
        assert status == code
        assert ("Minimum allowed deadline is 10s" in words) is (code == 400 and seconds != "soon")

    async def test_models_that_are_retired_or_unknown_and_aliases_outside_the_beta_version(self, client):
        for model in ("gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"):
            status, name, words = await told(client, model)
            assert (status, name) == (404, "NOT_FOUND")
            assert "no longer available" in words
            assert (await client.get(f"/v1/models/{model}")).status_code == 404
        for model in ("gpt", "gemini-9-flash", "gemini-flash-latest"):
            assert (await told(client, model))[:2] == (404, "NOT_FOUND")
        assert (await told(client, "gemini-flash-latest", version="v1beta"))[0] == 200

    @pytest.mark.parametrize(
        ("model", "thinking", "code"),
        [
            *((SERVED, {"thinkingLevel": "MINIMAL"}, 200), (SERVED, {"thinking_level": "low"}, 200)),
            *((SERVED, {"thinkingBudget": 0}, 400), (SERVED, {"thinkingLevel": "LOW", "thinkingBudget": 0}, 400)),
            *((SERVED, {"thinkingLevel": "XHIGH"}, 400), (SERVED, "low", 400)),
            ("gemini-3.8-flash", {"thinkingLevel": "MINIMAL"}, 400),
            ("gemini-3.7-flash", {"thinkingLevel": "minimal"}, 400),
            ("gemini-3.8-flash", {"thinkingLevel": "HIGH"}, 200),
        ],
    )
    async def test_thinking_in_a_way_or_at_a_level_that_the_model_lacks(self, client, model, thinking, code):
        assert (await told(client, model, thinkingConfig=thinking, maxOutputTokens=8000))[0] == code

    async def test_penalties_several_candidates_and_unknown_harms_but_no_temperature_which_is_ignored(self, client):
        for config in ({"frequencyPenalty": 0.5}, {"presencePenalty": 0.5}, {"candidateCount": 2}):
            assert (await told(client, **config))[:2] == (400, "INVALID_ARGUMENT")
        for category, threshold in (("SELF_HARM", "OFF"), ("HARASSMENT", "NEVER")):
            setting = {"category": f"HARM_CATEGORY_{category}", "threshold": threshold}
            assert (await told(client, body=HELLO | {"safetySettings": [setting]}))[0] == 400
        assert (await told(client, temperature=0.2))[0] == 200

    @pytest.mark.parametrize(
        ("field", "keyword"),
        [
            *(({"type": "string", "minLength": 1}, "minLength"), ({"type": "string", "pattern": "x"}, "pattern")),
            *(({"const": "x"}, "const"), ({"type": "integer", "exclusiveMinimum": 0}, "exclusiveMinimum")),
            ({"type": "string", "default": "x"}, "default"),
            ({"type": "array", "items": {"type": "string", "maxLength": 9}}, "maxLength"),
            *(({"anyOf": [{"type": "string", "not": {}}]}, "not"), ({"type": "string", "format": "email"}, "email")),
            *(({"enum": ["a", None]}, "enum"), ({"$ref": "#/$defs/X", "description": "x"}, "$ref")),
        ],
    )
    async def test_schema_keywords_that_the_api_does_not_know(self, client, field, keyword):
        schema = {"type": "object", "properties": {"a": field}, "required": ["a"], "$defs": {"X": {"type": "string"}}}
        status, _, words = await told(client, **JSON_CONFIG | {"responseJsonSchema": schema})
        assert status == 400
        assert keyword in words
