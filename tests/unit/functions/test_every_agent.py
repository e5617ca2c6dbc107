"""The answers of every agent: all fields are required, evidence precedes the verdict, empty answers are refused."""

import json
from collections.abc import Iterator

import pytest

from shared.domain.errors import ModelSchemaMismatch
from shared.engine.agent import LONGEST_TEXT, AnswerSchema, most_items
from shared.engine.runner import parse
from shared.ports.answer_schema import optional, unsupported
from tests.builders.answers import filled
from tests.builders.every_agent import every_agent

EACH = pytest.mark.parametrize("agent", [pytest.param(agent, id=name) for name, agent in every_agent().items()])
VERDICT_FIRST = {"DangerRead", "SignRead", "ValueRead", "FeelingRead"}
"""Schemas whose verdict is acted on before the answer ends."""
RESTS_ON = {
    "Triage": {"in_scope": ("reason",), "needs_tools": ("reason",)},
    "ToolPlan": {"tool": ("reason",), "args": ("reason",)},
    "Sufficiency": {"sufficient": ("reason", "missing")},
    "PersonaGuess": {"reason": ("reason_quote",), "type": ("evidence",), "confidence": ("evidence",)},
    "LevelSignRead": {"sign": ("quote",)},
    "PlanProposal": {"goal": ("ratings",), "tasks": ("ratings", "goal")},
    "KeywordRating": {"relevance": ("quote",)},
    "Judgement": {
        "scores": ("strengths", "improvements"),
        "needs_improvement": ("improvements", "scores"),
        "strategy_change": ("strategy",),
    },
    "SessionReview": {"part2_completed": ("goals", "reason"), "wrap_up_advised": ("goals", "reason")},
    "GoalFinding": {"met": ("evidence", "answer")},
    "ClosingWork": {"suggested_level": ("goals", "sentences")},
    "GoalKept": {"goal": ("quote",)},
    "SourcedSentence": {"text": ("seq", "quote")},
}
"""The fields that precede a verdict, by the schema's title."""
MOST_UNROLLED = 100
"""Values that a schema's bounded lists may hold together: the provider refuses a schema whose lists unroll too far."""
NO_ANSWERS = ["{}", "[]", "null", " ", "\n", '"yes"', "7"]


def objects(schema):
    """Return the properties of every object in a schema, by its title."""
    return {part["title"]: part for part in (schema, *schema.get("$defs", {}).values()) if "properties" in part}


@EACH
def test_the_schema_requires_all_fields_is_supported_and_fits_the_safe_default(agent):
    schema = agent.answers.model_json_schema()
    assert (optional(schema), unsupported(schema)) == ([], [])
    said = agent.safe_default.model_dump_json(by_alias=True)
    assert set(json.loads(said)) == set(schema["properties"])
    assert type(agent.safe_default).model_validate_json(said) == agent.safe_default


@EACH
def test_evidence_precedes_the_verdict_unless_the_verdict_is_acted_on_early(agent):
    for title, part in objects(agent.answers.model_json_schema()).items():
        order = list(part["properties"])
        if title in VERDICT_FIRST:
            assert order.index("evidence" if "evidence" in order else "quote") > 0
            continue
        for verdict, evidence in RESTS_ON.get(title, {}).items():
            assert all(order.index(one) < order.index(verdict) for one in evidence), (title, verdict)
        if {"evidence", "quote", "reason"} & set(order):
            assert title in RESTS_ON, f"which fields of {title} rest on its evidence?"


def answer_schemas(schema) -> Iterator[type]:
    """Yield an answer's schema and those of its parts."""
    yield schema
    for info in schema.model_fields.values():
        for part in (info.annotation, *getattr(info.annotation, "__args__", ())):
            if isinstance(part, type) and issubclass(part, AnswerSchema):
                yield from answer_schemas(part)


def unrolled(schema, node, inside=False):
    """Return how many values a schema's bounded lists hold together; no bound may stand in another bounded list."""
    node = schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    most = node.get("maxItems")
    assert not (most and inside), "a bounded list in a bounded list"
    if "items" in node:
        return (most or 1) * max(1, unrolled(schema, node["items"], inside or most is not None)) if most else 0
    parts = node.get("properties", {}).values()
    return sum(unrolled(schema, part, inside) for part in parts) + (len(parts) if inside else 0)


@EACH
def test_every_list_is_bounded_and_what_is_sent_of_it_does_not_unroll_too_far(agent):
    for schema in answer_schemas(agent.answers):
        for name, info in schema.model_fields.items():
            assert most_items(info) or "tuple" not in str(info.annotation), (schema, name)
    whole = agent.answers.model_json_schema()
    assert unrolled(whole, whole) <= MOST_UNROLLED


@EACH
def test_a_list_or_text_that_is_too_long_is_cut_and_costs_nothing_else(agent):
    whole = filled(agent)
    for name, info in agent.answers.model_fields.items():
        if info.annotation is str:
            said = agent.answers.model_validate_json(json.dumps({**whole, name: "네, " * LONGEST_TEXT}))
            assert getattr(said, name) == ("네, " * LONGEST_TEXT)[:LONGEST_TEXT]
            assert said.model_dump(exclude={name}) == agent.answers.model_validate(whole).model_dump(exclude={name})
        most = most_items(info)
        if most and info.annotation == tuple[str, ...]:
            words = [str(number) for number in range(most + 9)]
            said = agent.answers.model_validate_json(json.dumps({**whole, name: words}))
            assert getattr(said, name) == tuple(words[:most])


def test_a_schema_with_an_unbounded_list_is_refused_where_it_is_written():
    with pytest.raises(TypeError, match="words"):

        class Endless(AnswerSchema):
            words: tuple[str, ...]

    with pytest.raises(TypeError, match="words"):

        class Perhaps(AnswerSchema):
            words: tuple[str, ...] | None


@EACH
def test_an_answer_without_every_field_is_refused(agent):
    whole = filled(agent)
    without_one = [json.dumps({key: value for key, value in whole.items() if key != left_out}) for left_out in whole]
    for said in (*NO_ANSWERS, *without_one):
        with pytest.raises(ModelSchemaMismatch):
            parse(agent.answers, said, None)
