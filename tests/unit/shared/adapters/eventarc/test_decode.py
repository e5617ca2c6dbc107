"""Events as Eventarc and the Firestore emulator send them, and malformed ones."""

import base64
import json

import pytest
from google.events.cloud.firestore import DocumentEventData
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.eventarc.decode import CreatedEvents
from shared.engine.jobs import CreatedDocument
from shared.observability.formats import TextFormatter

DECODE = CreatedEvents("demo-a")
PATH = "sessions/x/part_transitions/1-2"
NAME = f"projects/demo-a/databases/(default)/documents/{PATH}"
DOCUMENT = CreatedDocument("x", "part_transitions", "1-2")
PRODUCTION = {
    "content-type": "application/protobuf",
    "ce-specversion": "1.0",
    "ce-type": "google.cloud.firestore.document.v1.created",
    "ce-source": "//firestore.googleapis.com/projects/demo-a/databases/(default)",
    "ce-id": "1b7f7a3c-5a4e-4f1e-9d0a-3c9e0c1f2a3b",
    "ce-subject": f"documents/{PATH}",
    "ce-time": "2026-11-22T03:10:00.231645123Z",
    "ce-dataschema": "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto",
    "ce-location": "asia-northeast3",
    "ce-project": "demo-a",
    "ce-database": "(default)",
    "ce-namespace": "(default)",
    "ce-document": PATH,
}
EMULATOR = PRODUCTION | {
    "ce-source": "//firestore.googleapis.com/projects/projects/demo-a/databases/(default)",
    "ce-datacontenttype": "application/protobuf",
    "ce-time": "2026-11-22T03:10:00Z",
    "ce-location": "us-central1",
}
# As the emulator sent it: the document {"to": 2, "가": "나"}.
RECORDED = (
    b"CoIBCk1wcm9qZWN0cy9kZW1vLWEvZGF0YWJhc2VzLyhkZWZhdWx0KS9kb2N1bWVudHMvc2Vzc2lvbnMveC9wYXJ0X3RyYW5zaXRpb25zLzEtMhIN"
    b"CgPqsIASBooBA+uCmBIICgJ0bxICEAIaCwiIuonYBhDIvrpuIgsIiLqJ2AYQyL66bhoA"
)


def body(name=NAME):
    return DocumentEventData.serialize(DocumentEventData(value={"name": name}))


def structured(**fields):
    attributes = {name.removeprefix("ce-"): value for name, value in PRODUCTION.items() if name.startswith("ce-")}
    event = attributes | {"datacontenttype": "application/protobuf", "data_base64": base64.b64encode(body()).decode()}
    return json.dumps(event | fields).encode()


STRUCTURED = {"content-type": "application/cloudevents+json; charset=utf-8"}


def test_events_of_production_and_of_the_emulator_are_decoded_to_their_document():
    assert DECODE(PRODUCTION, body()) == DOCUMENT
    assert DECODE(EMULATOR, RECORDED) == DOCUMENT
    assert DECODE(PRODUCTION, base64.b64decode(RECORDED)) == DOCUMENT
    assert DECODE({name.title(): value for name, value in PRODUCTION.items()}, body()) == DOCUMENT


def test_an_event_in_json_is_decoded():
    event = json.dumps({"value": {"name": NAME, "fields": {"to": {"integerValue": "2"}}}, "somethingNew": 1}).encode()
    assert DECODE(PRODUCTION | {"content-type": "Application/JSON; charset=utf-8"}, event) == DOCUMENT


def test_an_event_in_structured_mode_is_decoded():
    assert DECODE(STRUCTURED, structured()) == DOCUMENT
    event = json.loads(structured(datacontenttype="application/json", data={"value": {"name": NAME}}))
    del event["data_base64"]
    assert DECODE(STRUCTURED, json.dumps(event).encode()) == DOCUMENT


def test_an_event_whose_attributes_do_not_fit_is_refused_with_the_reason(caplog, subtests):
    cases = [
        ({"ce-type": "google.cloud.firestore.document.v1.updated"}, "another type"),
        ({"ce-document": "sessions/other/part_transitions/1-2"}, "its document is not"),
        ({"ce-subject": "documents/sessions/other/part_transitions/1-2"}, "its subject is not"),
        ({"content-type": "text/plain"}, "neither protobuf nor JSON"),
        ({"content-type": "application/json"}, "no DocumentEventData"),
    ]
    for changed, reason in cases:
        with subtests.test(changed=changed):
            caplog.clear()
            assert DECODE(PRODUCTION | changed, body()) is None
            assert reason in TextFormatter().format(caplog.records[-1])
    assert DECODE({name: value for name, value in PRODUCTION.items() if name != "ce-id"}, body()) is None
    assert "no CloudEvent" in caplog.text


@pytest.mark.parametrize("project", ["demo-b", "projects"])
def test_an_event_of_another_database_is_refused(project, caplog):
    other = body(f"projects/{project}/databases/(default)/documents/{PATH}")
    assert DECODE(PRODUCTION, other) is None
    assert "another database" in caplog.text
    named = CreatedEvents("demo-a", "counselling")
    assert named(PRODUCTION, body()) is None
    assert named(PRODUCTION, body(f"projects/demo-a/databases/counselling/documents/{PATH}")) == DOCUMENT


def test_an_event_of_a_document_that_is_not_below_a_session_is_refused(caplog, subtests):
    cases = [
        "sessions/x", "sessions/x/part_transitions/1-2/deeper/2", "sessions/../part_transitions/1-2",
        "sessions/x/part_transitions/1-2\n", "sessions/가 1/part_transitions/1-2",
        f"sessions/{'x' * 65}/part_transitions/1-2", "users/u1",
    ]  # fmt: skip
    unnamed = {name: value for name, value in PRODUCTION.items() if name not in {"ce-document", "ce-subject"}}
    for path in cases:
        with subtests.test(path=path):
            caplog.clear()
            assert DECODE(unnamed, body(f"projects/demo-a/databases/(default)/documents/{path}")) is None
            assert "no document below a session" in caplog.text


def test_data_that_holds_no_created_document_is_refused():
    cases = [
        b"", b"{}", b"AAAA=A==", RECORDED[:-5], RECORDED + b"\n", b"\x0a\xff", b"\x0a\x05\x0a\x03\xff\xfe\xfd",
        base64.b64encode(RECORDED), DocumentEventData.serialize(DocumentEventData(old_value={"name": NAME})),
    ]  # fmt: skip
    assert {data: got for data in cases if (got := DECODE(PRODUCTION, data)) is not None} == {}
    for deep in (b"[" * 100_000, b'{"value":' * 100_000):
        for headers in (STRUCTURED, PRODUCTION | {"content-type": "application/json"}):
            assert DECODE(headers, deep) is None


def test_the_log_quotes_nothing_of_a_refused_event(caplog):
    DECODE(PRODUCTION | {"ce-type": "민지의 비밀"}, "민지의 비밀".encode())
    DECODE(PRODUCTION | {"ce-document": "민지의 비밀"}, body())
    DECODE(PRODUCTION, body("민지의 비밀"))
    DECODE(STRUCTURED, structured(type="민지의 비밀"))
    assert len(caplog.records) == 4
    assert "비밀" not in caplog.text


WHOLE = st.sampled_from([RECORDED, base64.b64decode(RECORDED), json.dumps({"value": {"name": NAME}}).encode()])
KINDS = st.sampled_from(["application/protobuf", "application/json"])


@given(WHOLE, st.binary(max_size=40), st.integers(0, len(RECORDED)), KINDS)
def test_decoding_a_damaged_event_raises_nothing(whole, noise, at, kind):
    assert DECODE(EMULATOR | {"content-type": kind}, whole[:at] + noise + whole[at:]) in {None, DOCUMENT}
