"""`make check-model` against the simulator, which refuses what the real API refuses."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.check_model.__main__ import main
from local.check_model.requests import NOT_SERVED
from shared.config.agents import agent_settings
from tests.support.forked import ForkedSimulator
from tests.support.simulator import Simulator

AGENTS = set(agent_settings()) - NOT_SERVED


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    with ForkedSimulator(tmp_path_factory.mktemp("model")) as simulator:
        yield simulator


@pytest.fixture
def environment(simulator: Simulator) -> dict[str, str]:
    simulator.reset()
    return {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": simulator.address}


def rows(printed: str) -> dict[str, list[str]]:
    """Return the lines of the table by agent."""
    lines = printed[printed.index("agent ") :].splitlines()[1:]
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.split(" ")[0] in AGENTS:
            found.setdefault(line.split(" ")[0], []).append(line)
    return found


def test_every_agent_is_accepted_with_its_real_prompt_and_schema(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kept = tmp_path / "answers.json"
    assert main(["--record", str(kept)], environment) == 0
    table = rows(capsys.readouterr().out)
    assert set(table) == AGENTS
    assert all(line.endswith("accepted") for lines in table.values() for line in lines)
    answers = json.loads(kept.read_text("utf-8"))
    assert {answer["agent"] for answer in answers} == AGENTS
    assert all(answer["text"] and answer["usage"]["prompt_tokens"] for answer in answers)


def test_a_model_that_is_gone_is_named_and_its_fallback_is_tried(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str], simulator: Simulator
) -> None:
    simulator.fault("model_gone", model="gemini-3.6-flash")
    assert main(["--agent", "counselor"], environment) == 0
    told = capsys.readouterr()
    assert "gemini-3.6-flash         not served: 404 NOT_FOUND" in told.out
    first, second = rows(told.out)["counselor"]
    assert first.endswith("404 NOT_FOUND: This model is no longer available.")
    assert "gemini-3.5-flash-lite" in second
    assert second.endswith("accepted")
    assert "by their fallback alone: counselor" in told.err


@pytest.mark.parametrize(
    ("key", "status"), [("denied", "403 PERMISSION"), ("invalid", "400 INVALID"), ("elsewhere", "400 FAILED_PRE")]
)
def test_without_access_it_ends_before_anything_is_spent(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str], simulator: Simulator, key: str, status: str
) -> None:
    assert main([], environment | {"GEMINI_API_KEY": key}) == 1
    told = capsys.readouterr()
    assert f"not served: {status}" in told.out
    assert "the API lets nobody in, or cannot be reached" in told.err
    assert simulator.calls() == {}


def test_an_agent_that_is_forbidden_shows_the_providers_words(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str], simulator: Simulator
) -> None:
    simulator.fault("forbidden", "Counselor")
    assert main(["--agent", "counselor"], environment) == 1
    told = capsys.readouterr()
    assert "denied access" in rows(told.out)["counselor"][0]
    assert "cannot work: counselor" in told.err


def test_what_a_model_refuses_is_shown_for_the_agent_that_sends_it(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    agents = tmp_path / "agents.yaml"
    agents.write_text(
        "models: {gemini-3.8-flash: {thinking_levels: [minimal, low, medium, high]}}\n"
        "agents: {counselor: {model: gemini-3.8-flash, thinking_level: minimal, fallback: none}}",
        "utf-8",
    )
    assert main(["--agent", "counselor"], environment | {"CBOT_AGENTS_FILE": str(agents)}) == 1
    (line,) = rows(capsys.readouterr().out)["counselor"]
    assert line.endswith("400 INVALID_ARGUMENT: Thinking level MINIMAL is not supported for this model.")


def test_an_answer_that_misses_its_schema_cannot_be_worked_with(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str], simulator: Simulator
) -> None:
    simulator.fault("wrong_schema", "TaskCompletion")
    assert main(["--agent", "task_completion_checker"], environment) == 1
    assert "model_schema_mismatch" in rows(capsys.readouterr().out)["task_completion_checker"][0]


def test_without_a_key_it_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], {}) == 2
    assert "set GEMINI_API_KEY" in capsys.readouterr().err
