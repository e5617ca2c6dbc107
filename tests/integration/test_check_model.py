"""`make check-model` against the simulator, which refuses what the real API refuses."""

import json

import pytest

from local.check_model.__main__ import main
from local.check_model.requests import NOT_SERVED
from tests.builders.shipped_settings import agent_settings

AGENTS = set(agent_settings()) - NOT_SERVED


@pytest.fixture
def check(model, capsys):
    """Run the command; returns its code, the lines of its table by agent, and all that it said."""

    def check(*arguments, **environment):
        code, found = main(list(arguments), {**model.access, **environment}), {}
        said = capsys.readouterr()
        for line in said.out.partition("agent ")[2].splitlines()[1:]:
            if (agent := line.split(" ")[0]) in AGENTS:
                found.setdefault(agent, []).append(line)
        return code, found, said.out + said.err

    return check


@pytest.mark.long
def test_every_agent_is_accepted_with_its_real_prompt_and_schema(check, tmp_path):
    code, table, _ = check("--record", str(tmp_path / "answers.json"))
    assert (code, set(table)) == (0, AGENTS)
    assert all(line.endswith("accepted") for lines in table.values() for line in lines)
    answers = json.loads((tmp_path / "answers.json").read_text("utf-8"))
    assert {answer["agent"] for answer in answers} == AGENTS
    assert all(answer["text"] and answer["usage"]["prompt_tokens"] for answer in answers)


def test_a_model_that_is_not_served_is_reported_and_its_fallback_is_tried(check, model):
    model.fault("model_gone", model="gemini-3.6-flash")
    code, table, said = check("--agent", "counselor")
    first, second = table["counselor"]
    assert code == 0
    assert "gemini-3.6-flash         not served: 404 NOT_FOUND" in said
    assert first.endswith("404 NOT_FOUND: This model is no longer available.")
    assert ("gemini-3.5-flash-lite" in second, second.endswith("accepted")) == (True, True)
    assert "by their fallback alone: counselor" in said


@pytest.mark.parametrize(
    ("fault", "agent", "answered"),
    [("forbidden", "counselor", "denied access"), ("wrong_schema", "reader", "model_schema_mismatch")],
)
def test_an_agent_whose_requests_or_answers_are_refused_is_listed_with_the_reason(check, model, fault, agent, answered):
    model.fault(fault, {"counselor": "Counselor", "reader": "Reading"}[agent])
    code, table, said = check("--agent", agent)
    assert code == 1
    assert answered in table[agent][0]
    assert f"cannot work: {agent}" in said
