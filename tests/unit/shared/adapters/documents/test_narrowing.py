from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue, create_model

from shared.model import Model
from tests.unit.shared.adapters.documents.narrowing import narrowed


class Mood(StrEnum):
    GLAD = "glad"
    SAD = "sad"


class Inner(Model):
    word: str


class WiderInner(Model):
    word: str
    note: str | None = None


class NarrowerInner(Model):
    word: str
    note: str


def schema(annotation, default=...):
    return create_model("Stored", __base__=Model, field=(annotation, default)).model_json_schema()


def test_what_takes_more_than_before_is_no_narrowing():
    cases = [
        (str, str), (str, str | None), (int, float), (int, int | str), (Literal["a"], Literal["a", "b"]),
        (Literal["glad", "sad"], Mood), (Mood, str), (int, JsonValue), (tuple[int, ...], tuple[int | None, ...]),
        (dict[str, int], dict[str, int | bool]), (Inner, WiderInner), (tuple[Inner, ...], tuple[WiderInner, ...]),
        (Inner | None, WiderInner | int | None),
    ]  # fmt: skip
    assert {(old, new): got for old, new in cases if (got := narrowed(schema(old), schema(new))) != []} == {}


def test_what_takes_less_than_before_is_named():
    cases = [
        (str | None, str, "field: was null"),
        (float, int, "field: was number, is integer"),
        (JsonValue, int, "field: was anything"),
        (Mood, Literal["glad"], "field: was ['glad', 'sad']"),
        (str, Mood, "field: was free"),
        (tuple[int | None, ...], tuple[int, ...], "field.[]: was null"),
        (dict[str, int], dict[str, bool], "field.*: was integer"),
        (WiderInner, Inner, "field.note: is gone"),
        (Inner, NarrowerInner, "field.note: is required now"),
        (tuple[Inner, ...], tuple[NarrowerInner, ...], "field.[].note: is required now"),
        (dict[str, str], Inner, "field.word: is required now"),
    ]
    assert [
        said
        for old, new, said in cases
        if not any(line.startswith(said) for line in narrowed(schema(old), schema(new)))
    ] == []


def test_a_bound_may_be_loosened_and_not_tightened(subtests):
    cases = [
        ({}, {"ge": 1}),
        ({"ge": 0}, {"ge": 1}),
        ({"le": 10}, {"le": 5}),
        ({"gt": 0}, {"gt": 1}),
        ({"lt": 9}, {"lt": 8}),
    ]
    for looser, tighter in cases:
        with subtests.test(looser=looser, tighter=tighter):
            loose, tight = schema(int, Field(**looser)), schema(int, Field(**tighter))
            assert narrowed(tight, loose) == []
            assert len(narrowed(loose, tight)) == 1


def test_a_text_may_be_freed_and_not_bound(subtests):
    for tighter in ({"max_length": 4}, {"min_length": 1}, {"pattern": "^a"}):
        with subtests.test(tighter=tighter):
            loose, tight = schema(str), schema(str, Field(**tighter))
            assert narrowed(tight, loose) == []
            assert len(narrowed(loose, tight)) == 1


def test_a_new_field_may_be_added_when_it_need_not_be_there():
    with_default = create_model("Stored", __base__=Model, field=(int, ...), more=(int, 0)).model_json_schema()
    assert narrowed(schema(int), with_default) == []
    assert narrowed(with_default, schema(int)) == ["more: is gone"]


def test_a_keyword_that_is_not_known_counts_as_narrowing_when_it_changes():
    assert narrowed({"type": "array"}, {"type": "array", "uniqueItems": True}) == [
        "the document: uniqueItems was None, is True"
    ]
