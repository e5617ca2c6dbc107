"""An outage of the model over HTTP: one more stream, few requests, a quick honest reply, danger heard as ever."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from shared.content.catalogue import content
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.send_budget import TURN_SENDS
from shared.locale import Locale, Register
from tests.support.chat_client import signed_in
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.local_server import LocalServer
from tests.support.polling import until
from tests.support.simulator import Simulator
from tests.support.stored import stored

COUNSELOR = "Counselor"
IN_TURNS = {"TaskCompletion", "UserStateReading", "TaskChoice", "ModulePick", "WrapUpAnswer", COUNSELOR}
"""Jobs ask models, too."""
FIRST, FALLBACK = "gemini-3.6-flash", "gemini-3.5-flash-lite"
AGENTS_FILE = "agents: {counselor: {hedge_s: 0.5}}"
QUICK_S = 2.0
"""An honest reply when nothing is sent, on a busy machine too."""
SAID = (
    "안녕하세요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요.",
    "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요.",
    "그 뒤로 계속 그 장면이 떠올라요.",
)


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    with ForkedSimulator(tmp_path_factory.mktemp("model")) as simulator:
        yield simulator


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, simulator: Simulator) -> Iterator[LocalServer]:
    """One instance: what a test learns it of the models, the next one finds."""
    home = tmp_path_factory.mktemp("server")
    agents_file = home / "agents.yaml"
    agents_file.write_text(AGENTS_FILE, encoding="utf-8")
    with ForkedServer(home, simulator, CBOT_AGENTS_FILE=str(agents_file)) as server:
        yield server


async def test_an_empty_reply_and_a_late_one_are_mended_by_the_fallback_model(
    simulator: Simulator, server: LocalServer
) -> None:
    simulator.reset()
    async with signed_in(server.address) as person:
        conversation = await person.open()
        await person.say(conversation.id, SAID[0])
        simulator.fault("empty", COUNSELOR, model=FIRST, times=1)
        mended = await person.say(conversation.id, SAID[1])
        simulator.forget_calls()
        simulator.fault("hang", COUNSELOR, model=FIRST, times=1)
        hedged = await person.say(conversation.id, SAID[2])

        def closed() -> bool:
            return [call["outcome"] for call in _asked(simulator, COUNSELOR)] == ["disconnected", "answered"]

        await until(closed, what="the late stream's connection is closed")
    async with stored(server.database) as store:
        turns = await store.turns(conversation.id)
    assert (mended["flags"], hedged["flags"]) == ([], [])
    failed, spoke = _counselor(turns[1].agents)
    assert (failed.model, failed.error) == (FIRST, "model_empty: blank text with STOP")
    assert (spoke.model, spoke.decided_by) == (FALLBACK, DecidedBy.FALLBACK_MODEL)
    late, spoke = _counselor(turns[2].agents)
    assert (late.model, late.attempts, late.reason) == (FIRST, 1, "cancelled: another stream spoke first")
    assert (spoke.model, spoke.error) == (FALLBACK, None)
    assert turns[2].spent.llm_calls == _sent_in_turns(simulator)


async def test_without_any_model_few_requests_are_sent_then_none_and_every_word_is_answered(
    simulator: Simulator, server: LocalServer
) -> None:
    simulator.reset()
    async with signed_in(server.address) as person:
        conversation = await person.open()
        simulator.fault("rate_limit", retry_s=60)
        replies, sent = [], []
        for text in SAID:
            simulator.forget_calls()
            began = time.monotonic()
            replies.append(await person.say(conversation.id, text))
            seconds = time.monotonic() - began
            sent.append(_sent_in_turns(simulator))
        assert sent[0] <= TURN_SENDS
        assert sent[-1] == 0, "every model asked for a pause"
        assert seconds < QUICK_S
        crisis = await person.say(conversation.id, "이제 정말 죽고 싶어요.")
        history = await person.messages(conversation.id)
    assert [reply["flags"] for reply in replies] == [["degraded"]] * len(SAID)
    assert len({reply["reply"] for reply in replies}) == len(SAID)
    assert {reply["reply"] for reply in replies} <= set(_apologies())
    assert "crisis" in crisis["flags"]
    assert "109" in crisis["reply"]
    assert tuple(entry["text"] for entry in history if entry["role"] == "user")[: len(SAID)] == SAID


def _sent_in_turns(simulator: Simulator) -> int:
    return sum(calls for agent, calls in simulator.calls().items() if agent in IN_TURNS)


def _asked(simulator: Simulator, agent: str) -> list[dict[str, Any]]:
    return [call for call in simulator.recent_calls() if call["agent"] == agent]


def _counselor(runs: tuple[AgentRun, ...]) -> tuple[AgentRun, AgentRun]:
    first, second = (run for run in runs if run.agent == "counselor")
    return first, second


def _apologies() -> tuple[str, ...]:
    return content().messages(Locale.KO, Register.FORMAL).variants("degraded_reply")
