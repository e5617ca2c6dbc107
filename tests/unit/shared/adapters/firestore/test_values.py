from datetime import UTC, datetime, timedelta, timezone

import pytest
from google.cloud.firestore_v1 import types
from google.protobuf import timestamp_pb2

from shared.adapters.firestore.values import fields_of, put_fields
from shared.domain.errors import StoreError

Document = types.Document.pb()


def stored(data):
    document = Document()
    put_fields(data, document.fields)
    return document


def test_names_that_firestore_keeps_for_itself_are_stored_under_others():
    data = {"": 1, "__x__": 2, "$": 3, "$x": 4, "__x": 5, "x__": 6, "a.b": 7, "____": 8, "__\n__": 9, "___": 10}
    names = set(stored(data).fields)
    assert names == {"$", "$__x__", "$$", "$$x", "__x", "x__", "a.b", "$____", "$__\n__", "___"}
    assert fields_of(stored(data).fields) == data


def test_an_array_in_an_array_is_stored_as_a_map():
    (outer,) = stored({"a": [[1], 2]}).fields["a"].array_value.values[:1]
    assert list(outer.map_value.fields) == ["$array"]
    assert fields_of(stored({"a": [[1], 2]}).fields) == {"a": [[1], 2]}


def test_no_array_is_directly_in_an_array_however_deep():
    def no_nested(value):
        for item in value.array_value.values:
            assert item.WhichOneof("value_type") != "array_value"
            no_nested(item)
        for item in value.map_value.fields.values():
            no_nested(item)

    data = {"a": [[[], [[1]]], {"b": [[2]]}]}
    no_nested(stored(data).fields["a"])
    assert fields_of(stored(data).fields) == data


def test_fields_come_back_by_name():
    names = [f"name {n:02}" for n in range(40)]
    found = fields_of(stored({"in": dict.fromkeys(reversed(names)), **dict.fromkeys(reversed(names))}).fields)
    assert list(found) == ["in", *names]
    assert list(found["in"]) == names


def test_a_moment_is_stored_in_utc_to_the_microsecond():
    moment = datetime(2026, 11, 1, 9, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    expected = timestamp_pb2.Timestamp()
    expected.FromDatetime(moment)
    assert stored({"at": moment}).fields["at"].timestamp_value == expected
    (found,) = fields_of(stored({"at": moment}).fields).values()
    assert found == moment
    assert found.tzinfo is UTC
    assert type(found) is datetime


@pytest.mark.parametrize("moment", [datetime(1, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_first_and_the_last_moment_are_kept(moment):
    assert fields_of(stored({"at": moment}).fields) == {"at": moment}


def test_finer_parts_of_a_moment_than_microseconds_are_cut_off():
    document = Document()
    document.fields["at"].timestamp_value.nanos = 1_999
    assert fields_of(document.fields)["at"].microsecond == 1


def test_lone_surrogates_become_replacement_characters_and_pairs_what_they_spell():
    data = {"\ud83d": "a\udc00b", "pair": "\ud83d\ude00"}
    assert fields_of(stored(data).fields) == {"\ufffd": "a\ufffdb", "pair": "😀"}


def test_an_integer_beyond_64_bits_is_refused(subtests):
    for number in (2**63, -(2**63) - 1, 10**30):
        with subtests.test(number=number), pytest.raises(ValueError, match="64 bits"):
            stored({"n": [number]})


def test_a_datetime_without_a_time_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        stored({"a": {"at": datetime(2026, 1, 1)}})  # noqa: DTZ001 - that is the point


def test_what_is_no_document_value_is_refused(subtests):
    for value in (b"bytes", {1, 2}, object(), 1j):
        with subtests.test(value=value), pytest.raises(TypeError, match="no document value"):
            stored({"a": [value]})


def test_a_field_name_that_is_no_string_is_refused():
    with pytest.raises(TypeError, match="field name"):
        stored({"a": {1: 2}})


def test_a_type_that_is_never_written_is_refused_when_read():
    document = Document()
    document.fields["place"].geo_point_value.latitude = 1
    with pytest.raises(StoreError, match="geo_point_value"):
        fields_of(document.fields)
