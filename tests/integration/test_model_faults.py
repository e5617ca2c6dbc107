"""Every fault of the model at every agent of the turn ends in a reply within a bound (reliability.md, 8).

One server and one simulator an agent, so that a fault is tried at all agents at once: most of the time the tests wait.
"""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from local.gemini.faults import Fault
from shared.content.catalogue import content
from shared.domain.turn import DecidedBy
from shared.engine.turn_worker import FIRST_WORD_SECONDS
from shared.locale import Locale, Register
from tests.support.chat_client import signed_in, spoken
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.polling import eventually
from tests.support.stored import stored

AGENTS_FILE = """
defaults: {timeout_s: 4.0, fallback: none}
agents:
  counselor: {timeout_s: 8.0, first_token_s: 4.0, idle_s: 3.0, hedge_s: null}
"""
BOUND_S = FIRST_WORD_SECONDS + 8.0 + 15.0
"""The limit to the first word, the limit to the end of the stream, and room for a slow machine."""
TRIES = 3
WORDS_AFTER_MS = 50
"""Errors come sooner than words, as they do from the real model."""
HELLO = "안녕하세요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
GO_ON = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."
COUNSELOR = "Counselor"
IN_PROSE = {Fault.NOT_JSON: [], Fault.WRONG_SCHEMA: ["guarded"], Fault.CUT_JSON: []}
"""As prose these answers are complete: only JSON can be recognised as wrong."""
APOLOGIES = content().messages(Locale.KO, Register.FORMAL).variants("degraded_reply")


@dataclass(frozen=True)
class Reached:
    """How a turn comes to call an agent."""

    ledger_name: str  # the agent's name in the ledger
    before: tuple[str, ...] = ()  # what was said in earlier turns
    text: str = HELLO  # what is said in the turn with the fault


AGENTS = {"Reading": Reached("reader"), COUNSELOR: Reached("counselor")}


@dataclass
class AgentServer:
    """The server and the model of one agent; `warm` while its last turn was whole."""

    agent: str
    simulator: ForkedSimulator
    server: ForkedServer
    warm: bool = False

    async def warm_up(self, person):
        """Talk until a turn is whole: the first one loads the SDK, which may take longer than the short timeouts."""

        async def whole():
            return (await person.say((await person.open()).id, HELLO))["flags"] == []

        if not self.warm:
            await eventually(whole, what="a whole turn")
            self.warm = True

    async def try_fault(self, person, fault):
        """Let a turn have the fault; on a slow machine a turn before may fall to rules, and the agent is not asked."""
        for _ in range(TRIES):
            if case := await self._try_once(person, fault):
                return case
        raise AssertionError(f"{self.agent} was not called: the fault did not happen")

    async def _try_once(self, person, fault):
        """Run a turn with the fault, then one without; check replies and time. None if no call met the fault."""
        reached, conversation = AGENTS[self.agent], await person.open()
        for text in reached.before:
            await person.say(conversation.id, text)
        self.simulator.forget_calls()
        self.simulator.fault(fault, self.agent, retry_s=0)
        began = time.monotonic()
        events = await person.hear(conversation.id, reached.text)
        seconds = time.monotonic() - began
        drawn = sum(call["fault"] == fault for call in self.simulator.recent_calls())
        self.simulator.heal()
        after = await person.say(conversation.id, GO_ON)
        other = await person.open()
        for text in (*reached.before, reached.text):  # it answers again: failures in a row would let its model rest
            await person.say(other.id, text)
        async with stored(self.server.database) as store:
            turns = await store.turns(conversation.id)
        self.warm = after["flags"] == []  # else the next fault waits until the model is asked again
        if not drawn:
            return None
        assert seconds < BOUND_S, self.agent
        assert events[-1].name == "done", f"{self.agent}: the turn ended with {events[-1]}"
        reply = events[-1].data
        assert reply["reply"].strip(), self.agent
        assert spoken(events) == reply["reply"], self.agent
        assert after["flags"] == [], f"{self.agent}: the turn after the fault"
        run = [run for run in turns[len(reached.before)].agents if run.agent == reached.ledger_name][-1]
        return SimpleNamespace(reply=reply["reply"], flags=reply["flags"], run=run)


@pytest.fixture(scope="module")
def agent_servers(tmp_path_factory):
    """All servers, started in parallel."""
    agents_file = tmp_path_factory.mktemp("agents") / "agents.yaml"
    agents_file.write_text(AGENTS_FILE, encoding="utf-8")
    simulators = {agent: ForkedSimulator(tmp_path_factory.mktemp(f"{agent}-model")) for agent in AGENTS}
    servers = {}

    def start_server(agent):
        simulator = simulators[agent].start()
        servers[agent] = ForkedServer(tmp_path_factory.mktemp(agent), simulator, CBOT_AGENTS_FILE=str(agents_file))
        servers[agent].start()

    try:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(start_server, AGENTS))
        yield {agent: AgentServer(agent, simulators[agent], servers[agent]) for agent in AGENTS}
    finally:
        for process in (*servers.values(), *simulators.values()):
            process.end()


@pytest.fixture
async def people(agent_servers):
    """A user of each server; all models healthy."""
    async with AsyncExitStack() as stack:
        found = {}
        for agent, agent_server in agent_servers.items():
            agent_server.simulator.reset()
            agent_server.simulator.pace(ttft_ms=WORDS_AFTER_MS)
            found[agent] = await stack.enter_async_context(signed_in(agent_server.server.address))
            await agent_server.warm_up(found[agent])
        yield found


OF_THE_MOMENT = [fault for fault in Fault if fault is not Fault.MODEL_GONE]
"""A model that is gone is not called again for a while: see test_model_refusals.py."""


@pytest.mark.parametrize("fault", OF_THE_MOMENT)
async def test_a_turn_gets_a_reply_in_time_under_a_model_fault_at_any_agent(fault, agent_servers, people):
    cases = await asyncio.gather(*(agent_servers[agent].try_fault(people[agent], fault) for agent in AGENTS))
    for agent, case in zip(AGENTS, cases, strict=True):
        if agent != COUNSELOR:
            assert (case.run.decided_by, bool(case.run.error)) == (DecidedBy.SAFE_DEFAULT, True), agent
            assert case.flags == [], agent
        elif fault in IN_PROSE:
            assert (case.run.error, case.flags) == (None, IN_PROSE[fault])
        else:
            assert (bool(case.run.error), case.flags) == (True, ["degraded"])
            assert case.reply in APOLOGIES
