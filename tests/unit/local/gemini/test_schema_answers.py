"""The generic answerer: whatever schema the API takes, the answer is of it."""

from datetime import date, datetime, time
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model

from local.gemini.refusals import check_schema
from local.gemini.schema_answers import Unanswerable, answer_for


class Risk(StrEnum):
    NONE = "none"
    HIGH = "high"


class Evidence(BaseModel):
    """A quote."""

    model_config = ConfigDict(extra="forbid")

    quote: str
    turn: int = Field(ge=1)
    weight: float = Field(ge=0, le=1)


class Node(BaseModel):
    name: str
    left: "Node | None"
    children: list["Node"]


class Everything(BaseModel):
    """One of each."""

    model_config = ConfigDict(extra="forbid")

    done: bool
    risk: Risk
    level: Literal[3, 2, 1]
    evidence: Evidence
    quotes: Annotated[list[Evidence], Field(min_length=2)]
    maybe: Evidence | None
    either: int | str
    pair: tuple[int, str]
    table: dict[str, int]
    part: float = Field(ge=1.5)
    below: int = Field(le=-3)
    day: date
    at: datetime
    hour: time
    anything: Any
    tree: Node


def of(model: type[BaseModel]) -> Any:
    """Answer a model's schema, which the API takes."""
    schema = model.model_json_schema()
    check_schema(schema)
    return answer_for(schema)


def test_the_answer_decides_nothing_and_is_always_the_same():
    assert of(Everything) == of(Everything)
    answer = Everything.model_validate(of(Everything))
    assert answer.done is False
    assert answer.risk is Risk.NONE
    assert answer.level == 3
    assert answer.evidence.turn == 1
    assert answer.maybe is None
    assert answer.table == {}
    assert answer.tree.children == []


GEMINIS_OWN = {
    "type": "OBJECT",
    "properties": {
        "name": {"type": "STRING"},
        "list": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": 1},
        "mood": {"type": "STRING", "enum": ["calm", "sad"]},
    },
    "propertyOrdering": ["mood", "name", "list"],
}


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        *((GEMINIS_OWN, {"name": "데모", "list": [0], "mood": "calm"}), ({"type": ["string", "null"]}, None)),
        ({"type": "array", "minItems": 1, "items": {"type": "boolean"}}, [False]),
        ({"required": ["a"], "properties": {"a": {"$ref": "#/properties/b"}, "b": {"enum": [1]}}}, {"a": 1, "b": 1}),
        *(({"type": "integer", "minimum": 1.5}, 2), ({"oneOf": [{"$ref": "#"}, {"type": "integer"}]}, 0), ({}, None)),
    ],
)
def test_a_bare_schema_is_answered(schema: dict[str, Any], answer: object):
    assert answer_for(schema) == answer


@pytest.mark.parametrize("schema", [{"enum": []}, {"$ref": "#"}, {"anyOf": [{"enum": []}]}])
def test_a_schema_without_a_value_is_said_to_be_so(schema: dict[str, Any]):
    with pytest.raises(Unanswerable):
        answer_for(schema)


def _numbers(kind: type, low: float, width: float, has_low: bool, has_high: bool) -> Any:
    bounds = ({"ge": low} if has_low else {}) | ({"le": low + width} if has_high else {})
    return Annotated[kind, Field(**bounds)]  # type: ignore[arg-type]


_ints = st.builds(_numbers, st.just(int), st.integers(-50, 50), st.integers(0, 50), st.booleans(), st.booleans())
_floats = st.builds(_numbers, st.just(float), st.integers(-50, 50), st.integers(0, 50), st.booleans(), st.booleans())
_literals = st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True).map(lambda v: Literal[tuple(v)])
_leaves = st.one_of(
    st.sampled_from([bool, str, int, float, date, datetime, Risk, Evidence]),
    _ints,
    _floats,
    _literals,
)


def _model(fields: dict[str, Any]) -> type[BaseModel]:
    return create_model("Made", **{f"f_{name}": (kind, ...) for name, kind in fields.items()})


_types = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        inner.map(lambda t: t | None),
        st.builds(lambda t, n: Annotated[list[t], Field(min_length=n)], inner, st.integers(0, 3)),
        st.builds(lambda a, b: tuple[a, b], inner, inner),
        inner.map(lambda t: dict[str, t]),
        st.builds(lambda a, b: a | b, inner, inner),
        st.dictionaries(st.sampled_from("abcd"), inner, max_size=3).map(_model),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abcdef"), _types, min_size=1, max_size=5))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_answer_fits_any_model(fields: dict[str, Any]):
    model = _model(fields)
    model.model_validate(of(model))
