"""A check on the check that stored documents stay readable."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue, create_model

from shared.model import Model
from tests.unit.shared.adapters.documents.narrowing import narrowed

Mood = StrEnum("Mood", {"GLAD": "glad", "SAD": "sad"})
Inner = create_model("Inner", __base__=Model, word=(str, ...))
Wider = create_model("Wider", __base__=Model, word=(str, ...), note=(str | None, None))
Narrower = create_model("Narrower", __base__=Model, word=(str, ...), note=(str, ...))


def schema(annotation, **more):
    return create_model("Stored", __base__=Model, field=(annotation, ...), **more).model_json_schema()


def test_what_takes_more_than_before_is_no_narrowing():
    cases = [
        (str, str), (str, str | None), (int, float), (int, int | str), (Literal["a"], Literal["a", "b"]),
        (Literal["glad", "sad"], Mood), (Mood, str), (int, JsonValue), (tuple[int, ...], tuple[int | None, ...]),
        (dict[str, int], dict[str, int | bool]), (Inner, Wider), (tuple[Inner, ...], tuple[Wider, ...]),
        (Inner | None, Wider | int | None),
    ]  # fmt: skip
    assert {(old, new): got for old, new in cases if (got := narrowed(schema(old), schema(new))) != []} == {}
    assert narrowed(schema(int), schema(int, more=(int, 0))) == []


def test_what_takes_less_than_before_is_named(subtests):
    cases = [
        (str | None, str, "field: was null"),
        (float, int, "field: was number, is integer"),
        (JsonValue, int, "field: was anything"),
        (Mood, Literal["glad"], "field: was ['glad', 'sad']"),
        (str, Mood, "field: was free"),
        (tuple[int | None, ...], tuple[int, ...], "field.[]: was null"),
        (dict[str, int], dict[str, bool], "field.*: was integer"),
        (Wider, Inner, "field.note: is gone"),
        (Inner, Narrower, "field.note: is required now"),
        (tuple[Inner, ...], tuple[Narrower, ...], "field.[].note: is required now"),
        (dict[str, str], Inner, "field.word: is required now"),
    ]
    for old, new, said in cases:
        with subtests.test(said=said):
            assert any(line.startswith(said) for line in narrowed(schema(old), schema(new)))
    assert narrowed(schema(int, more=(int, 0)), schema(int)) == ["more: is gone"]
    unknown = narrowed({"type": "array"}, {"type": "array", "uniqueItems": True})
    assert unknown == ["the document: uniqueItems was None, is True"], "a keyword that is not known counts, too"


def test_a_bound_may_be_loosened_and_not_tightened(subtests):
    numbers = [({}, {"ge": 1}), ({"ge": 0}, {"ge": 1}), ({"le": 10}, {"le": 5}), ({"gt": 0}, {"gt": 1})]
    texts = [({}, {"max_length": 4}), ({}, {"min_length": 1}), ({}, {"pattern": "^a"})]
    for kind, bounds in ((int, [*numbers, ({"lt": 9}, {"lt": 8})]), (str, texts)):
        for looser, tighter in bounds:
            with subtests.test(looser=looser, tighter=tighter):
                loose, tight = (
                    create_model("S", f=(kind, Field(**one))).model_json_schema() for one in (looser, tighter)
                )
                assert narrowed(tight, loose) == []
                assert len(narrowed(loose, tight)) == 1
