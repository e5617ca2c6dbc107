import json
import re
from pathlib import Path

from functions.chat.http.endpoints import OPERATIONS
from functions.chat.http.openapi import document, rendered

FILE = Path(__file__).parents[5] / "docs" / "openapi.json"


def test_the_file_is_what_the_code_says():
    assert FILE.read_text(encoding="utf-8") == rendered(), (
        "stale: run `python -m functions.chat.http.openapi docs/openapi.json`"
    )


def test_every_reference_leads_somewhere():
    text = rendered()
    schemas = document()["components"]["schemas"]
    used = set(re.findall(r'"\$ref": "([^"]+)"', text))
    assert used <= {f"#/components/schemas/{name}" for name in schemas}
    assert {"Problem", "ChatReply", "CreateConversation"} <= set(schemas)


def test_every_endpoint_is_described_once():
    described = [operation["operationId"] for methods in document()["paths"].values() for operation in methods.values()]
    assert sorted(described) == sorted(operation.endpoint.name for operation in OPERATIONS)
    assert len(set(described)) == len(described)


def test_the_chat_says_what_may_go_wrong_and_what_its_stream_holds():
    chat = document()["paths"]["/api/conversations/{conversation_id}/chat"]["post"]
    assert set(chat["responses"]) >= {"200", "400", "401", "404", "409", "413", "415", "422", "429", "500", "503"}
    events = chat["responses"]["200"]["content"]["text/event-stream"]["x-sse-events"]
    assert set(events) == {"agent_start", "agent_retry", "agent_done", "token", "replace", "done", "error"}
    assert events["done"] == {"$ref": "#/components/schemas/ChatReply"}
    assert set(events["token"]["properties"]) == {"text"}
    assert set(events["agent_retry"]["properties"]) == {"agent", "label", "attempt"}


def test_health_checks_and_the_texts_of_consents_alone_need_no_token():
    open_ones = [path for path, methods in document()["paths"].items() for op in methods.values() if not op["security"]]
    assert open_ones == ["/api/consents", "/healthz", "/api/health"]


async def test_the_document_is_served(ann):
    assert (await ann.get("/openapi.json")).json() == json.loads(rendered())
