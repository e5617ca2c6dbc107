"""The generic answerer: whatever the schema, the answer is of it."""

from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model

from local.gemini.schema_answers import Unanswerable, answer_for


class Risk(StrEnum):
    NONE = "none"
    HIGH = "high"


class Evidence(BaseModel):
    """A quote."""

    model_config = ConfigDict(extra="forbid")

    quote: str = Field(min_length=3, max_length=5)
    turn: int = Field(ge=1)
    weight: float = Field(gt=0, lt=1)


class Text(BaseModel):
    kind: Literal["text"]
    text: str


class Number(BaseModel):
    kind: Literal["number"]
    value: float


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
    tagged: Annotated[Text | Number, Field(discriminator="kind")]
    pair: tuple[int, str]
    different: Annotated[set[Risk], Field(min_length=2)]
    several: Annotated[frozenset[int], Field(min_length=4)]
    table: dict[str, int]
    keyed: Annotated[dict[Risk, bool], Field(min_length=1)]
    code: str = Field(pattern=r"^[A-Z]{2}-\d{3,5}$")
    slot: str = Field(pattern=r"^(morning|evening)_(one|two)?$", max_length=12)
    korean: str = Field(pattern=r"^[가-힣]+$", min_length=4, max_length=6)
    even: int = Field(multiple_of=4, gt=5, le=40)
    below: int = Field(lt=-3)
    day: date
    at: datetime
    hour: time
    span: timedelta
    id: UUID
    anything: Any
    with_default: int = 7
    tree: Node


@pytest.mark.parametrize("model", [Evidence, Everything, Node, RootModel[list[Evidence]], RootModel[int | None]])
def test_the_answer_fits_a_nested_model(model: type[BaseModel]) -> None:
    model.model_validate(answer_for(model.model_json_schema()))


def test_the_answer_decides_nothing() -> None:
    answer = Everything.model_validate(answer_for(Everything.model_json_schema()))
    assert answer.done is False
    assert answer.risk is Risk.NONE
    assert answer.level == 3
    assert answer.evidence.turn == 1
    assert answer.maybe is None
    assert answer.table == {}
    assert answer.tree.children == []


def test_the_same_schema_gives_the_same_answer() -> None:
    schema = Everything.model_json_schema()
    assert answer_for(schema) == answer_for(schema)


def test_geminis_own_schema_dialect_is_understood() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "name": {"type": "STRING", "nullable": True},
            "list": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "1"},
            "mood": {"type": "STRING", "enum": ["calm", "sad"]},
        },
        "propertyOrdering": ["mood", "name", "list"],
    }
    assert answer_for(schema) == {"name": None, "list": [0], "mood": "calm"}


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ({"allOf": [{"minimum": 2}, {"type": "integer", "minimum": 5}]}, 5),
        ({"type": ["string", "null"]}, None),
        ({"const": {"a": 1}}, {"a": 1}),
        ({"minItems": 1, "items": {"type": "boolean"}}, [False]),
        ({"required": ["a"], "properties": {"a": {"$ref": "#/properties/b"}, "b": {"const": 1}}}, {"a": 1, "b": 1}),
        ({}, None),
    ],
)
def test_a_bare_schema_is_answered(schema: dict[str, Any], answer: object) -> None:
    assert answer_for(schema) == answer


@pytest.mark.parametrize("schema", [{"enum": []}, {"$ref": "#"}, {"anyOf": [False]}])
def test_a_schema_without_a_value_is_said_to_be_so(schema: dict[str, Any]) -> None:
    with pytest.raises(Unanswerable):
        answer_for(schema)


def _numbers(kind: type, low: float, width: float, flags: tuple[bool, bool, bool, bool]) -> Any:
    has_low, has_high, open_low, open_high = flags
    bounds: dict[str, float] = {}
    if has_low:
        bounds["gt" if open_low else "ge"] = low
    if has_high:
        bounds["lt" if open_high else "le"] = low + width
    return Annotated[kind, Field(**bounds)]  # type: ignore[arg-type]


_flags = st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans())
_ints = st.builds(_numbers, st.just(int), st.integers(-50, 50), st.integers(2, 50), _flags)
_floats = st.builds(_numbers, st.just(float), st.integers(-50, 50), st.integers(1, 50), _flags)
_strings = st.builds(
    lambda low, more: Annotated[str, Field(min_length=low, max_length=low + more)],
    st.integers(0, 30),
    st.integers(0, 5),
)
_literals = st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True).map(lambda v: Literal[tuple(v)])
_leaves = st.one_of(
    st.sampled_from([bool, str, int, float, date, datetime, UUID, Risk, Evidence]),
    _ints,
    _floats,
    _strings,
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
def test_the_answer_fits_any_model(fields: dict[str, Any]) -> None:
    model = _model(fields)
    model.model_validate(answer_for(model.model_json_schema()))


@given(st.integers(2, 12), _ints)
@settings(max_examples=60, deadline=None)
def test_items_that_must_differ_do(count: int, kind: Any) -> None:
    model = create_model("Made", items=(Annotated[set[kind], Field(min_length=count)], ...))
    try:
        answer = answer_for(model.model_json_schema())
    except Unanswerable:
        return
    model.model_validate(answer)
