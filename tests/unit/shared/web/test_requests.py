import asyncio
import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from shared.contracts.chat import ChatRequest, CreateConversation, Satisfaction
from shared.contracts.retrieval import ConversationsQuery, MessagesQuery
from shared.domain.errors import CBotError, InvalidInput, NotFound, Unauthenticated
from shared.web.errors import BodyTooLarge, InvalidJson, RequestTimeout, UnsupportedMediaType
from shared.web.faults import DoesNotFit, FieldFault
from shared.web.requests import (
    MAX_BODY,
    bearer_token,
    path_id,
    read_body,
    read_json,
    read_query,
    require_known_parameters,
)

JSON = "application/json"
ADULT = {"age_band": "adult"}


async def test_a_body_becomes_its_model(request_of):
    body = json.dumps({**ADULT, "register": "반말", "consents": {"terms": True}}).encode()
    read = await read_body(
        request_of(body[:10], body[10:], content_type="application/json; charset=UTF-8"), CreateConversation
    )
    assert read.register_ == "반말"
    assert read.consents.terms
    assert not read.consents.sensitive_data


async def test_only_json_in_utf8_is_read(request_of, subtests):
    for kind in ("", "text/plain", "multipart/form-data", "application/json; charset=euc-kr", "application/jsonp"):
        with subtests.test(kind=kind), pytest.raises(UnsupportedMediaType):
            await read_body(request_of(b"{}", content_type=kind), CreateConversation)


async def test_a_body_is_refused_once_it_is_too_long_whatever_it_declares(request_of):
    request = request_of(b" " * MAX_BODY, b" ", b"never read", content_type=JSON, content_length="2")
    with pytest.raises(BodyTooLarge):
        await read_body(request, CreateConversation)
    assert (await request.receive())["body"] == b"never read"


async def test_a_body_that_stops_is_not_waited_for(request_of):
    request = request_of(b'{"age_band":', content_type=JSON)
    sent = [await request.receive()]

    async def receive():
        if not sent:
            await asyncio.Event().wait()
        return sent.pop()

    with pytest.raises(RequestTimeout):
        await read_json(Request(request.scope, receive), seconds=0.01)


async def test_what_is_not_strictly_json_is_invalid_json(request_of, subtests):
    cases = [
        b"", b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", b'{"age_band":"adult","age_band":"adult"}',
        b'{"consents":{"terms":true,"terms":true}}', b"NaN", b'{"a":Infinity}', b'{"a":1e999}', b"9" * 5000,
        b"[" * 60_000, b'{"a":' * 10_000, b"{'a': 1}", b'{"a": "\x00"}', b"{} {}",
    ]  # fmt: skip
    for body in cases:
        with subtests.test(body=body), pytest.raises(InvalidJson):
            await read_body(request_of(body, content_type=JSON), CreateConversation)


async def test_what_does_not_fit_is_named_by_field_and_never_quoted(request_of, subtests):
    cases = [
        ({}, FieldFault("missing", "age_band")),
        ([], FieldFault("model_type")),
        ({"age_band": "baby"}, FieldFault("literal_error", "age_band", expected="'under_14', '14_18', 'adult'")),
        ({**ADULT, "consents": {"terms": "yes"}}, FieldFault("bool_type", "consents.terms")),
        ({**ADULT, "consents": {"terms": 1}}, FieldFault("bool_type", "consents.terms")),
        ({**ADULT, "register_": "반말"}, FieldFault("extra_forbidden")),
        ({**ADULT, "my secret": 1}, FieldFault("extra_forbidden")),
        ({**ADULT, "consents": {"my secret": 1}}, FieldFault("extra_forbidden", "consents")),
        ({**ADULT, "persona": "Type_Z"}, FieldFault("string_pattern_mismatch", "persona", expected="^Type_[A-P]$")),
        ({**ADULT, "persona": "\ud800"}, FieldFault("lone_surrogate", "persona")),
        ({**ADULT, "\ud800": 1}, FieldFault("lone_surrogate")),
        ({**ADULT, "my secret": [{"a": "\udfff"}]}, FieldFault("lone_surrogate")),
    ]
    for body, fault in cases:
        with subtests.test(body=body, fault=fault):
            with pytest.raises(DoesNotFit) as caught:
                await read_body(request_of(json.dumps(body).encode(), content_type=JSON), CreateConversation)

            assert caught.value.faults == (fault,)
            assert caught.value.detail == f"{fault.field or 'request'}: {fault.kind}"
            assert caught.value.__cause__ is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
fields = st.sampled_from(["message_id", "text", "rating", "comment", "age_band", "consents", "register", "locale", "x"])


@given(
    st.sampled_from([ChatRequest, CreateConversation, Satisfaction]),
    st.binary()
    | st.dictionaries(fields, json_values).map(lambda value: json.dumps(value).encode())
    | st.text(alphabet='{}[]":,\\ud8001e9Na ').map(str.encode),
)
async def test_no_body_is_a_surprise(model, body):
    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    with contextlib.suppress(InvalidInput):
        await read_body(Request(scope, receive), model)


def test_a_query_is_read_with_its_defaults(request_of, subtests):
    for query, after, limit in ((b"", -1, 50), (b"after=3&limit=100", 3, 100), (b"limit=1&limit=2", -1, 2)):
        with subtests.test(limit=limit):
            read = read_query(request_of(query=query), MessagesQuery)
            assert (read.after, read.limit) == (after, limit)


def test_a_query_out_of_bounds_is_refused(request_of, subtests):
    cases = [
        b"limit=0", b"limit=101", b"limit=", b"limit=x", b"after=-2", b"after=" + b"9" * 5000, b"after=2147483648",
        b"after=1.5",
    ]  # fmt: skip
    for query in cases:
        with subtests.test(query=query), pytest.raises(InvalidInput):
            read_query(request_of(query=query), MessagesQuery)


def test_a_parameter_that_nobody_reads_is_refused_and_named_if_its_name_is_a_plain_word(request_of, subtests):
    cases = [
        (b"limt=5", ["limt"]), (b"limit=5&utm_source=x&a.b=1", ["utm_source", "a.b"]), (b"after_=1", ["after_"]),
        (b"=1", [""]), ("내 비밀=1".encode(), [""]), (b"%3Cscript%3E=1", [""]), (b"x" * 41 + b"=1", [""]),
    ]  # fmt: skip
    for query, names in cases:
        with subtests.test(query=query):
            with pytest.raises(DoesNotFit) as caught:
                require_known_parameters(request_of(query=query), MessagesQuery)
            assert [(fault.kind, fault.field) for fault in caught.value.faults] == [
                ("unknown_parameter", n) for n in names
            ]
            with pytest.raises(DoesNotFit):
                read_query(request_of(query=query), MessagesQuery)


def test_an_address_without_parameters_takes_none(request_of):
    require_known_parameters(request_of(query=b"after=1&limit=2"), MessagesQuery)
    require_known_parameters(request_of(), None)
    with pytest.raises(DoesNotFit):
        require_known_parameters(request_of(query=b"after=1"), None)


def test_a_passed_bound_is_told(request_of):
    with pytest.raises(DoesNotFit) as caught:
        read_query(request_of(query=b"limit=101&after=-2"), MessagesQuery)
    assert set(caught.value.faults) == {
        FieldFault("less_than_equal", "limit", limit="100"),
        FieldFault("greater_than_equal", "after", limit="-1"),
    }


def test_a_time_before_or_after_all_conversations_is_taken_as_the_first_or_last(request_of):
    cases = [("1999-01-01T00:00:00Z", 2000), ("0001-01-01T00:00:00%2B14:00", 2000), ("9999-12-31T23:59:59-14:00", 2200)]
    assert {
        before: got
        for before, year in cases
        if (got := read_query(request_of(query=f"before={before}".encode()), ConversationsQuery).before.year) != year
    } == {}


def test_a_time_without_a_zone_or_in_seconds_is_refused(request_of, subtests):
    for before in ("yesterday", "2026-11-01T00:00:00", "0.5", "1793491200"):
        with subtests.test(before=before), pytest.raises(InvalidInput):
            read_query(request_of(query=f"before={before}".encode()), ConversationsQuery)


def test_an_id_that_nobody_has_is_not_found(request_of, subtests):
    for value in ("", "a b", "a/b", "..", "가", "x" * 65, "abc\n", "１"):
        with subtests.test(value=value), pytest.raises(NotFound):
            path_id(request_of(path_params={"id": value}), "id", "[A-Za-z0-9_-]{1,64}")


@pytest.mark.parametrize("header", ["Bearer abc.def.", "bearer abc.def.", "BEARER  abc.def. "])
def test_a_bearer_token_is_found(request_of, header):
    assert bearer_token(request_of(authorization=header)) == "abc.def."


def test_anything_else_is_not_authenticated(request_of, subtests):
    for header in (None, "", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer a,b", "abc", "Bearer é"):
        with subtests.test(header=header), pytest.raises(Unauthenticated):
            bearer_token(request_of() if header is None else request_of(authorization=header))


def test_the_edges_own_errors_belong_to_the_tree():
    assert issubclass(InvalidJson, CBotError)
