from typing import Annotated, Literal

from pydantic import BaseModel, Field, create_model

from shared.ports.answer_schema import optional, unsupported


class Inner(BaseModel):
    word: str
    remark: str = ""


class Cycle(BaseModel):
    cycles: "tuple[Cycle, ...]"


def schema(annotation, default=...):
    return create_model("Outer", value=(annotation, default)).model_json_schema()


def test_an_optional_field_is_found_at_any_depth(subtests):
    nestings = [tuple[Inner, ...], Inner | None, dict[str, Inner], tuple[str, Inner], dict[str, tuple[Inner, ...]]]
    for field in (Inner, *nestings):
        with subtests.test(field=field):
            assert [place.rpartition(".")[2] for place in optional(schema(field))] == ["remark"]


def test_an_unsupported_keyword_is_found(subtests):
    short = Annotated[str, Field(max_length=9)]
    cases = [
        (short, "maxLength"), (Annotated[str, Field(min_length=1)], "minLength"), (tuple[short, ...], "maxLength"),
        (Annotated[str, Field(pattern="a")], "pattern"), (Annotated[int, Field(gt=0)], "exclusiveMinimum"),
        (Annotated[int, Field(multiple_of=2)], "multipleOf"), (Literal["only"], "const"),
        (set[str], "uniqueItems"), (short | None, "maxLength"),
    ]  # fmt: skip
    for field, keyword in cases:
        with subtests.test(field=field):
            (problem,) = unsupported(schema(field))
            assert keyword in problem
            assert problem.startswith("answer.value")


def test_a_default_a_described_reference_and_a_required_cycle_are_found():
    assert unsupported(schema(str, "x")) == ["answer.value: default is not supported"]
    assert "answer.value: nothing may stand beside $ref" in unsupported(schema(Inner, Field(description="Words")))
    assert unsupported({"type": "string", "format": "uuid"}) == ["answer: format uuid is not supported"]
    assert unsupported(Cycle.model_json_schema()) == ["answer.cycles[]: a required field leads back to itself"]
