"""What the operator's errors look like: to the operator, and to who talks (docs/decisions/0031)."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.demo.client import CLIENTS, chosen, clients
from local.demo.session import play
from local.demo.stage import embedded
from shared.domain.errors import ModelError
from shared.domain.turn import DecidedBy
from shared.ports.language_model import LanguageModel, ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply
from tests.support.chat_client import Person, signed_in
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.simulator import Simulator
from tests.support.stored import stored

HELLO = "안녕하세요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
GO_ON = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."
DANGER = "죽고 싶어요"
COUNSELORS = "gemini-3.6-flash"
AS_BEFORE = """
# The settings of a year ago: a family of models that is switched off, thinking by budget, a temperature.
defaults: {model: gemini-2.5-flash-lite, temperature: 0.2, thinking_budget: 0, fallback: none}
agents:
  counselor: {model: gemini-2.5-flash, temperature: 0.7, fallback: none}
  supervisor: {model: gemini-2.5-flash, thinking_budget: 0, fallback: none}
  planner: {model: gemini-2.5-flash, thinking_budget: 0, fallback: none}
  persona_inferrer: {thinking_budget: 0}
  session_manager: {model: gemini-2.5-flash, thinking_budget: 0}
  summarizer: {thinking_budget: 0}
  closer: {model: gemini-2.5-flash, thinking_budget: 0, fallback: none}
  chat: {model: gemini-2.5-flash}
"""


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    with ForkedSimulator(tmp_path_factory.mktemp("model")) as simulator:
        yield simulator


@pytest.fixture(autouse=True)
def healthy(simulator: Simulator) -> None:
    simulator.reset()


async def health(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = (await person.http.get("/api/health")).json()
    return {name: found[name] for name in ("status", "model", "model_reason")}


def errors(server: ForkedServer) -> list[str]:
    """The lines at ERROR about a model."""
    return [line for line in server.stderr.splitlines() if "model_refused" in line]


async def test_a_model_that_is_gone_is_the_operators_to_change_and_the_user_gets_a_reply(
    tmp_path: Path, simulator: Simulator
) -> None:
    simulator.fault("model_gone", model=COUNSELORS)
    with ForkedServer(tmp_path, simulator) as server:
        assert server.ready_line.endswith("(Gemini: degraded)")
        assert f"cbot: {COUNSELORS} is not served (404): set another in agents.yaml" in server.stderr
        async with signed_in(server.address) as person:
            talk = await person.open()
            replies = [await person.say(talk.id, text) for text in (HELLO, GO_ON)]
            assert [reply["flags"] for reply in replies] == [[], []]
            found = await health(person)
        assert (found["status"], found["model"]) == ("ok", "degraded")
        assert found["model_reason"] == f"{COUNSELORS}: model_not_found"
        async with stored(server.database) as store:
            runs = [run for turn in await store.turns(talk.id) for run in turn.agents if run.agent == "counselor"]
        assert {run.decided_by for run in runs if not run.error} == {DecidedBy.FALLBACK_MODEL}
        assert sum(run.attempts for run in runs if run.model == COUNSELORS) == 1, "a dead model is not asked each turn"
        assert len(errors(server)) == 1
        assert HELLO not in server.stderr
        assert GO_ON not in server.stderr


@pytest.mark.parametrize(
    ("key", "reason", "change"),
    [
        ("invalid-key", "access denied: key", "set a valid GEMINI_API_KEY"),
        ("denied-key", "access denied: permission", "enable it and its billing"),
        ("elsewhere-key", "access denied: location", "Vertex AI in a served region"),
    ],
)
async def test_without_access_the_operator_reads_what_to_change_and_the_user_an_honest_reply_at_once(
    tmp_path: Path, simulator: Simulator, key: str, reason: str, change: str
) -> None:
    with ForkedServer(tmp_path, simulator, GEMINI_API_KEY=key) as server:
        assert server.ready_line.endswith("(Gemini: unreachable)")
        assert change in server.stderr
        async with signed_in(server.address) as person:
            talk = await person.open()
            async with asyncio.timeout(20):
                reply = await person.say(talk.id, HELLO)
            assert reply["flags"] == ["degraded"]
            danger = await person.say(talk.id, DANGER)
            assert "109" in danger["reply"]
            assert await health(person) == {"status": "ok", "model": "unreachable", "model_reason": reason}
        assert len(errors(server)) == 1


async def test_settings_of_a_year_ago_fail_loudly(tmp_path: Path, simulator: Simulator) -> None:
    agents = tmp_path / "agents.yaml"
    agents.write_text(AS_BEFORE, "utf-8")
    with ForkedServer(tmp_path, simulator, CBOT_AGENTS_FILE=str(agents)) as server:
        assert server.ready_line.endswith("(Gemini: unreachable)")
        for model in ("gemini-2.5-flash", "gemini-2.5-flash-lite"):
            assert f"model {model} is switched off since 2026-10-20" in server.stderr
            assert f"{model} is not served (404)" in server.stderr
        async with signed_in(server.address) as person:
            talk = await person.open()
            assert (await person.say(talk.id, HELLO))["flags"] == ["degraded"]
            assert (await health(person))["model"] == "unreachable"
        assert len(errors(server)) == 2


class NotingFailures:
    """A language model that notes every failure of the one behind it."""

    def __init__(self, model: LanguageModel, failures: list[str]) -> None:
        self._model = model
        self._failures = failures

    async def generate(self, request: ModelRequest) -> ModelReply:
        try:
            return await self._model.generate(request)
        except ModelError as error:
            self._failures.append(f"{request.agent}: {error.reason}")
            raise

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        try:
            async for chunk in self._model.stream(request):
                yield chunk
        except ModelError as error:
            self._failures.append(f"{request.agent}: {error.reason}")
            raise

    async def check(self, model: str) -> bool:
        return await self._model.check(model)

    async def warm(self) -> None:
        await self._model.warm()

    async def aclose(self) -> None:
        await self._model.aclose()


async def test_a_whole_session_of_the_demo_needs_no_safe_default() -> None:
    failures: list[str] = []
    async with embedded(lambda model: NotingFailures(model, failures)) as stage:
        (client,) = chosen(clients(CLIENTS), ["open"])
        played = await play(client, stage)
    runs = [run for visit in played for turn in visit.evidence.turns for run in turn.agents]
    assert failures == []
    assert len({run.agent for run in runs if run.model}) >= 4
    assert [run for run in runs if run.decided_by is DecidedBy.SAFE_DEFAULT] == []
    assert all(visit.problem is None for visit in played)
