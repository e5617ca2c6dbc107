"""Parsing of requests: path, headers, body, query and message text."""

import asyncio
import json
import time

import pytest
from starlette.requests import Request

from shared.contracts.chat import CreateConversation
from shared.contracts.retrieval import ConversationsQuery, MessagesQuery
from shared.domain.errors import CBotError, EmptyText, InvalidInput, NotFound, TextTooLong, Unauthenticated
from shared.locale import Locale
from shared.web import requests
from shared.web.errors import BodyTooLarge, InvalidJson, RequestTimeout, UnsupportedMediaType
from shared.web.faults import DoesNotFit, FieldFault
from shared.web.negotiation import locale_of, wants_stream
from shared.web.requests import read_body, read_query
from shared.web.text import clean_message
from tests.builders.requests import request_of

JSON = "application/json"
ADULT = {"age_band": "adult"}


def test_a_path_with_a_malformed_id_is_not_found(subtests):
    for value in ("", "a/b", "..", "x" * 65, "abc\n", "１"):
        with subtests.test(value=value), pytest.raises(NotFound):
            requests.path_id(request_of(path_params={"id": value}), "id", "[A-Za-z0-9_-]{1,64}")


class TestNegotiation:
    def test_the_best_supported_language_is_chosen_and_korean_otherwise(self):
        english = ["en", "en-US,en;q=0.9,ko;q=0.8", "fr, en;q=0.1"]
        korean = ["", "ko-KR, en;q=0.9", "fr", "*", "en;q=0", "en;q=banana", "en;q=nan", ";;;,,q="]
        assert [header for header in english if locale_of(request_of(accept_language=header)) is not Locale.EN] == []
        assert [header for header in korean if locale_of(request_of(accept_language=header)) is not Locale.KO] == []
        assert locale_of(request_of()) is Locale.KO

    def test_a_stream_is_sent_only_if_accept_asks_for_it_and_never_for_head(self):
        asking = ["text/event-stream", "application/json, Text/Event-Stream;q=0.5"]
        others = ["text/event-stream;q=0", "application/json", "*/*", ""]
        assert [wants_stream(request_of(accept=accept)) for accept in asking + others] == [True] * 2 + [False] * 4
        assert not wants_stream(request_of(method="HEAD", accept="text/event-stream"))


class TestTheBearerToken:
    def test_is_read_from_the_header_with_a_scheme_in_any_case(self):
        for header in ("Bearer abc.def.", "bearer abc.def.", "BEARER  abc.def. "):
            assert requests.bearer_token(request_of(authorization=header)) == "abc.def."

    def test_missing_or_malformed_is_unauthenticated(self, subtests):
        for header in (None, "", "Bearer", "Bearer ", "Basic abc", "Bearer a b", "Bearer a,b", "abc", "Bearer é"):
            with subtests.test(header=header), pytest.raises(Unauthenticated):
                requests.bearer_token(request_of() if header is None else request_of(authorization=header))


class TestTheBody:
    async def test_of_another_type_than_utf8_json_is_refused(self, subtests):
        for kind in ("", "text/plain", "multipart/form-data", "application/json; charset=euc-kr", "application/jsonp"):
            with subtests.test(kind=kind), pytest.raises(UnsupportedMediaType):
                await read_body(request_of(b"{}", content_type=kind), CreateConversation)

    async def test_over_the_limit_is_refused_whatever_its_content_length(self):
        request = request_of(b" " * requests.MAX_BODY, b" ", b"never read", content_type=JSON, content_length="2")
        with pytest.raises(BodyTooLarge):
            await read_body(request, CreateConversation)
        assert (await request.receive())["body"] == b"never read"

    async def test_that_stops_arriving_times_out(self):
        sent = [await request_of(b'{"age_band":').receive()]

        async def receive():
            return sent.pop() if sent else await asyncio.Event().wait()

        with pytest.raises(RequestTimeout):
            await requests.read_json(Request(request_of(content_type=JSON).scope, receive), seconds=0.01)

    async def test_that_is_not_strictly_json_is_invalid_json(self, subtests):
        cases = [
            b"", b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", b'{"consents":{"terms":true,"terms":true}}', b"NaN",
            b'{"a":1e999}', b"9" * 5000, b"[" * 60_000,
        ]  # fmt: skip
        assert issubclass(InvalidJson, CBotError)
        for body in cases:
            with subtests.test(body=body), pytest.raises(InvalidJson):
                await read_body(request_of(body, content_type=JSON), CreateConversation)

    async def test_that_does_not_fit_the_schema_is_reported_by_field_and_never_quoted(self, subtests):
        bands = "'under_14', '14_18', 'adult'"
        cases = [
            ({}, FieldFault("missing", "age_band")),
            ([], FieldFault("model_type")),
            ({"age_band": "baby"}, FieldFault("literal_error", "age_band", expected=bands)),
            ({**ADULT, "consents": {"terms": 1}}, FieldFault("bool_type", "consents.terms")),
            ({**ADULT, "register_": "반말"}, FieldFault("extra_forbidden")),
            ({**ADULT, "consents": {"my secret": 1}}, FieldFault("extra_forbidden", "consents")),
            ({**ADULT, "persona": "Type_Z"}, FieldFault("string_pattern_mismatch", "persona", expected="^Type_[A-P]$")),
            ({**ADULT, "persona": "\ud800"}, FieldFault("lone_surrogate", "persona")),
            ({**ADULT, "my secret": [{"a": "\udfff"}]}, FieldFault("lone_surrogate")),
        ]
        for body, fault in cases:
            with subtests.test(body=body, fault=fault):
                with pytest.raises(DoesNotFit) as caught:
                    await read_body(request_of(json.dumps(body).encode(), content_type=JSON), CreateConversation)
                assert caught.value.faults == (fault,)
                assert caught.value.detail == f"{fault.field or 'request'}: {fault.kind}"
                assert caught.value.__cause__ is None


class TestTheQuery:
    def test_out_of_bounds_is_refused(self, subtests):
        for query in (b"limit=0", b"limit=", b"after=-2", b"after=" + b"9" * 5000, b"after=2147483648"):
            with subtests.test(query=query), pytest.raises(InvalidInput):
                read_query(request_of(query=query), MessagesQuery)
        with pytest.raises(DoesNotFit) as caught:
            read_query(request_of(query=b"limit=101&after=-2"), MessagesQuery)
        too_much = FieldFault("less_than_equal", "limit", limit="100")
        assert set(caught.value.faults) == {too_much, FieldFault("greater_than_equal", "after", limit="-1")}

    def test_with_an_unknown_parameter_is_refused_and_a_plain_parameter_name_is_reported(self, subtests):
        cases = [
            (b"limit=5&utm_source=x&a.b=1", ["utm_source", "a.b"]), ("내 비밀=1".encode(), [""]),
            (b"x" * 41 + b"=1", [""]),
        ]  # fmt: skip
        for query, names in cases:
            with subtests.test(query=query):
                with pytest.raises(DoesNotFit) as caught:
                    requests.require_known_parameters(request_of(query=query), MessagesQuery)
                assert caught.value.faults == tuple(FieldFault("unknown_parameter", name) for name in names)
                with pytest.raises(DoesNotFit):
                    read_query(request_of(query=query), MessagesQuery)

    def test_with_a_time_without_a_zone_or_in_seconds_is_refused(self, subtests):
        for before in (b"yesterday", b"2026-11-01T00:00:00", b"0.5", b"1793491200"):
            with subtests.test(before=before), pytest.raises(InvalidInput):
                read_query(request_of(query=b"before=" + before), ConversationsQuery)


class TestAMessage:
    def test_is_normalised_and_stripped(self):
        assert clean_message(" \u1112\u1161\u11ab\u1100\u1173\u11af\r\n\ttext\x00\x07\x85 \n") == "한글\n\ttext"

    def test_without_a_visible_character_is_refused_as_empty_and_one_is_enough(self, subtests):
        for text in ("", " \n\t ", "\x00\x01", "\u200b\u200d\ufeff", "\u3164\u2800", "\u202e\u2066", "\ufe0f"):
            with subtests.test(text=text), pytest.raises(EmptyText):
                clean_message(text)
        assert [text for text in ("?", "ㅠ", "🙂", "👩‍👩‍👧", "é", "⠓") if not clean_message(text)] == []

    def test_is_measured_after_normalising(self):
        assert clean_message("\u1112\u1161\u11ab" * 4000) == "한" * 4000
        with pytest.raises(TextTooLong) as caught:
            clean_message("가" * 4001)
        assert (caught.value.length, caught.value.limit) == (4001, 4000)
        with pytest.raises(TextTooLong):
            clean_message(" " * 16_001)

    def test_with_thousands_of_combining_marks_is_shortened_quickly(self):
        began = time.process_time()
        assert len(clean_message("a" + "\u0301" * 8000 + "\u0316" * 7000)) <= 31
        assert time.process_time() - began < 0.5
