"""The API's description: the file, its references, its groups, its examples and the events of a stream."""

import json
import re

import pytest
from pydantic import TypeAdapter

from functions.chat.http import endpoints
from functions.chat.http.openapi import document, rendered
from shared.content import catalogue
from shared.contracts.events import TurnEvent, data_of
from shared.contracts.problem import Problem
from shared.web.problem_texts import ContentProblemTexts
from tests.support.api_schema import validator
from tests.support.chat_client import OPENING
from tests.support.process import ROOT
from tests.unit.functions.chat.conftest import ALL

FILE = ROOT / "docs" / "openapi.json"
DOCUMENT = document()
BY_NAME = {one["operationId"]: one for methods in DOCUMENT["paths"].values() for one in methods.values()}
ENDPOINTS = {endpoint.name: endpoint for endpoint in endpoints.ENDPOINTS}


async def test_the_description_equals_the_file_in_docs_and_is_served(ann):
    assert FILE.read_text(encoding="utf-8") == rendered(), (
        "stale: run `python -m functions.chat.http.openapi docs/openapi.json`"
    )
    assert (await ann.get("/openapi.json")).json() == json.loads(rendered())


def test_each_reference_resolves_and_every_endpoint_is_listed_once():
    used = set(re.findall(r'"\$ref": "([^"]+)"', rendered()))
    assert used <= {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    described = [one["operationId"] for methods in DOCUMENT["paths"].values() for one in methods.values()]
    assert sorted(described) == sorted(ENDPOINTS)


@pytest.mark.parametrize(("body", "field"), [("ChatRequest", "text"), ("MarkSeen", "note")])
def test_a_text_that_shows_nothing_does_not_fit_a_field_that_has_to_say_something(body, field):
    pattern = DOCUMENT["components"]["schemas"][body]["properties"][field]["pattern"]
    assert [bool(re.search(pattern, text)) for text in ("\u0097", " \u200b ", "네")] == [False, False, True]


async def test_an_opening_on_a_document_that_is_not_there_gets_a_described_answer(ann):
    answer = await ann.post(ALL, json={**OPENING, "document_id": "none"})
    assert str(answer.status_code) in BY_NAME["create_conversation"]["responses"]


def test_every_operation_is_in_exactly_one_described_group():
    assert {name: len(one["tags"]) for name, one in BY_NAME.items()} == dict.fromkeys(ENDPOINTS, 1)
    assert {tag for one in BY_NAME.values() for tag in one["tags"]} == {tag["name"] for tag in DOCUMENT["tags"]}
    assert all(tag["description"] for tag in DOCUMENT["tags"])


def test_every_json_request_and_answer_has_an_example_that_fits_its_model():
    without = set()
    for name, endpoint in ENDPOINTS.items():
        if endpoint.request is not None:
            endpoint.request.model_validate(BY_NAME[name]["requestBody"]["content"]["application/json"]["example"])
        answered = BY_NAME[name]["responses"][str(endpoint.status)].get("content", {}).get("application/json")
        if answered and "example" in answered:
            endpoint.response.model_validate(answered["example"])
        elif answered:
            without.add(name)
    assert without == {"export_conversation", "export_me", "get_review", "mark_reviewed"}


def test_every_example_of_a_problem_says_what_the_service_says():
    examples = [
        (code, example["value"])
        for operation in BY_NAME.values()
        for response in operation["responses"].values()
        for code, example in response.get("content", {}).get("application/problem+json", {}).get("examples", {}).items()
    ]
    assert {code for code, _ in examples} == {"consent_required", "session_ended", "too_many_requests", "overloaded"}
    texts = ContentProblemTexts(catalogue.content())
    for code, example in examples:
        assert Problem.model_validate(example).code == code
        assert example["title"] == texts.problem(code, "ko")[0]


@pytest.mark.parametrize("name", ["chat", "get_turn"])
def test_a_stream_refers_to_a_schema_of_each_event_with_an_example_that_is_the_events_own_data(name):
    stream = BY_NAME[name]["responses"]["200"]["content"]["text/event-stream"]
    assert stream["schema"] == {"$ref": "#/components/schemas/TurnEvent"}
    events = validator("TurnEvent")
    for kind, example in stream["examples"].items():
        events.validate(example["value"])
        data = example["value"]["data"]
        told = TypeAdapter(TurnEvent).validate_python({"event": kind, **({"result": data} if kind == "done" else data)})
        assert json.loads(data_of(told)).keys() >= data.keys()
    mapping = DOCUMENT["components"]["schemas"]["TurnEvent"]["discriminator"]["mapping"]
    assert stream["examples"].keys() == mapping.keys()
    assert not events.is_valid({"event": "token", "data": {}}), "a token has a text"
