"""The answers of every agent: all fields are required, evidence precedes the verdict, empty answers are refused."""

import json

import pytest

from shared.domain.turn import DecidedBy
from shared.engine.runner import MAX_ASKS, AgentRunner
from shared.ports.answer_schema import optional, unsupported
from tests.builders.answers import filled
from tests.builders.every_agent import every_agent
from tests.builders.prompt_inputs import filled as prompts
from tests.builders.shipped_settings import shipped_settings
from tests.builders.small_service import scope_of
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

EACH = pytest.mark.parametrize("agent", [pytest.param(agent, id=name) for name, agent in every_agent().items()])
VERDICT_FIRST = {"TaskCompletion", "UserStateReading"}
"""Schemas whose verdict is acted on before the answer ends."""
RESTS_ON = {
    "TaskChoice": {"task_id": ("return_quote", "selection_reason")},
    "ModulePick": {"module_id": ("reason",)},
    "WrapUpAnswer": {"agreed": ("quote",)},
    "Meant": {"service": ("quote",)},
    "Triage": {"in_scope": ("reason",), "needs_tools": ("reason",)},
    "ToolPlan": {"tool": ("reason",), "args": ("reason",)},
    "Sufficiency": {"sufficient": ("reason", "missing")},
    "PersonaGuess": {"type": ("evidence",), "confidence": ("evidence",)},
    "PlanProposal": {"goal": ("ratings",), "tasks": ("ratings", "goal")},
    "KeywordRating": {"relevance": ("quote",)},
    "SlotFound": {"value": ("quote",)},
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
            assert order.index("evidence") > 0
            continue
        for verdict, evidence in RESTS_ON.get(title, {}).items():
            assert all(order.index(one) < order.index(verdict) for one in evidence), (title, verdict)
        if {"evidence", "quote", "reason"} & set(order):
            assert title in RESTS_ON, f"which fields of {title} rest on its evidence?"


async def asked(agent, answers):
    """Ask an agent whose model gives these answers; return the answer, the requests and the ledger's entry."""
    clock, model = SettableClock(), ScriptedModel({agent.name: list(answers)})
    scope = scope_of(clock)
    given = next(given for prompt, given in prompts(lambda _: "말") if prompt.agent == agent.prompt.agent)
    answer = await AgentRunner(model, shipped_settings(), clock).ask(agent, given, scope)
    (run,) = scope.ledger.runs
    return answer, model.requests, run


@EACH
async def test_missing_fields_are_asked_for_by_name_once_before_the_safe_default_is_used(agent):
    whole = filled(agent)
    without_one = [json.dumps({key: value for key, value in whole.items() if key != left_out}) for left_out in whole]
    for said in (*NO_ANSWERS, *without_one):
        answer, requests, run = await asked(agent, [said] * (MAX_ASKS + 1))
        assert answer is agent.safe_default, said
        assert len(requests) == MAX_ASKS, said
        assert run.decided_by is DecidedBy.SAFE_DEFAULT
        assert (run.error or "").startswith("model_schema_mismatch")
        missing = set(whole) - set(json.loads(said)) if said.startswith("{") else ()
        request = requests[1].messages[-1].text
        assert [field for field in missing if f"{field}: Field required" not in request] == []


@EACH
async def test_a_complete_second_answer_is_used(agent):
    whole = json.dumps(filled(agent), ensure_ascii=False)
    answer, requests, run = await asked(agent, ["{}", whole])
    assert answer == agent.answers.model_validate_json(whole)
    assert (len(requests), run.decided_by) == (MAX_ASKS, DecidedBy.MODEL)
