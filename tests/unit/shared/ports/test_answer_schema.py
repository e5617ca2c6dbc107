"""What is found wrong with a schema, in whatever corner of it."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from shared.ports.answer_schema import optional, unsupported


class Inner(BaseModel):
    """A part."""

    word: str
    remark: str = ""


class Sound(BaseModel):
    """All that may stand in a schema."""

    words: tuple[str, ...] = Field(min_length=1, max_length=3, description="Words")
    pair: tuple[str, int]
    share: float = Field(ge=0, le=1)
    kind: Literal["a", "b"]
    nothing: str | None
    by_name: dict[str, int]


def test_a_sound_schema_has_nothing_wrong_with_it():
    schema = Sound.model_json_schema()
    assert (unsupported(schema), optional(schema)) == ([], [])


def test_a_field_that_may_be_left_out_is_found_in_every_corner(subtests):
    cases = [Inner, tuple[Inner, ...], Inner | None, dict[str, Inner], tuple[str, Inner], dict[str, tuple[Inner, ...]]]
    for field in cases:
        with subtests.test(field=field):

            class Outer(BaseModel):
                inner: field

            assert [place.rpartition(".")[2] for place in optional(Outer.model_json_schema())] == ["remark"]


def test_a_keyword_that_is_not_read_is_found(subtests):
    cases = [
        (Annotated[str, Field(max_length=9)], "maxLength"), (Annotated[str, Field(min_length=1)], "minLength"),
        (Annotated[str, Field(pattern="a")], "pattern"), (Annotated[int, Field(gt=0)], "exclusiveMinimum"),
        (Annotated[int, Field(multiple_of=2)], "multipleOf"), (Literal["only"], "const"),
        (set[str], "uniqueItems"), (tuple[Annotated[str, Field(max_length=9)], ...], "maxLength"),
        (Annotated[str, Field(max_length=9)] | None, "maxLength"),
    ]  # fmt: skip
    for field, keyword in cases:
        with subtests.test(field=field):

            class Outer(BaseModel):
                value: field

            (problem,) = unsupported(Outer.model_json_schema())
            assert keyword in problem
            assert problem.startswith("answer.value")


def test_a_default_is_not_read():
    class Outer(BaseModel):
        value: str = "x"

    assert unsupported(Outer.model_json_schema()) == ["answer.value: default is not supported"]


def test_words_beside_a_reference_are_not_read():
    class Outer(BaseModel):
        inner: Inner = Field(description="Words")

    assert "answer.inner: nothing may stand beside $ref" in unsupported(Outer.model_json_schema())


def test_an_enum_of_something_else_than_strings_and_numbers_is_found():
    assert unsupported({"enum": ["a", None]}) == ["answer: enum holds more than strings and numbers"]


def test_a_format_that_is_not_read_is_found():
    assert unsupported({"type": "string", "format": "uuid"}) == ["answer: format uuid is not supported"]
    assert unsupported({"type": "string", "format": "date"}) == []


class Ring(BaseModel):
    """Leads back to itself."""

    rings: "tuple[Ring, ...]"


def test_a_required_field_that_leads_back_to_itself_is_found():
    assert unsupported(Ring.model_json_schema()) == ["answer.rings[]: a required field leads back to itself"]
