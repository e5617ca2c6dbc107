"""The model failing is normal: every fault at every agent of the turn ends in a reply, soon (reliability.md, 8).

One server and one simulator an agent, so that a fault is tried at all agents at once: most of the time is waiting.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from local.gemini.faults import Fault
from shared.content.catalogue import content
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.turn_worker import FIRST_WORD_SECONDS
from shared.locale import Locale, Register
from tests.fakes.answers import DETECTOR, filled
from tests.support.chat_client import Event, Person, signed_in, spoken
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

AGENTS_FILE = """
defaults: {timeout_s: 3.0, fallback: none}
agents:
  counselor: {timeout_s: 5.0, first_token_s: 2.0, idle_s: 1.5, hedge_s: null}
"""
BOUND_S = FIRST_WORD_SECONDS + 5.0 + 15.0
"""To the first word, to the end of the stream after it, and room for a slow machine."""
HELLO = "안녕하세요. 요즘 회사에서 실수할까 봐 밤에 잠이 안 와요."
GO_ON = "어제는 팀장님이 다들 있는 데서 제 보고서를 지적하셨어요."
FIRST_TIME = "상담은 처음이라 조금 떨려요."
ASKS_TO_END = "오늘은 여기까지 할게요."
UNCLEAR = "그렇게 생각하니 조금 가벼워요"
COUNSELOR = "Counselor"
HARMLESS_IN_PROSE = {Fault.NOT_JSON, Fault.WRONG_SCHEMA, Fault.CUT_JSON}
"""To a reader of prose these are whole answers: only JSON can be seen to be wrong."""
LONG_REPLY = "밤마다 그런 걱정이 드셨다니 많이 지치셨을 것 같아요. " + "그래도 여기까지 오셨네요. " * 30


@dataclass(frozen=True)
class Reached:
    """How a turn comes to call an agent.

    Attributes:
        ledger_name: The agent's name in the ledger.
        before: What was said in earlier turns.
        text: What is said in the turn with the fault.
        script: Answers of other agents in that turn.
    """

    ledger_name: str
    before: tuple[str, ...] = ()
    text: str = HELLO
    script: tuple[tuple[str, dict[str, Any]], ...] = ()


AGENTS = {
    "TaskCompletion": Reached("task_completion_checker"),
    "UserStateReading": Reached("user_state_detector"),
    "TaskChoice": Reached("task_selector"),
    # Circular talk is a state that two modules answer: the table leaves the choice to the model.
    "ModulePick": Reached(
        "module_selector", before=(FIRST_TIME,), script=(("UserStateReading", filled(DETECTOR, circular=True)),)
    ),
    "WrapUpAnswer": Reached("wrap_up_answer", before=(ASKS_TO_END,), text=UNCLEAR),
    COUNSELOR: Reached("counselor"),
}


@dataclass
class Ward:
    """One agent's own server and model.

    Attributes:
        warm: Its server has loaded what only the first turn waits for.
    """

    agent: str
    reached: Reached
    simulator: Simulator
    server: LocalServer
    warm: bool = False


@dataclass(frozen=True)
class Case:
    """What came of one turn with a fault, and of the next one without."""

    events: list[Event]
    seconds: float
    drawn: int
    runs: Sequence[AgentRun]
    after: dict[str, Any]

    @property
    def reply(self) -> dict[str, Any]:
        assert self.events[-1].name == "done", f"the turn ended with {self.events[-1]}"
        reply: dict[str, Any] = self.events[-1].data
        return reply


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ward]]:
    """All servers, started side by side."""
    agents_file = tmp_path_factory.mktemp("agents") / "agents.yaml"
    agents_file.write_text(AGENTS_FILE, encoding="utf-8")
    simulators = {agent: ForkedSimulator(tmp_path_factory.mktemp(f"{agent}-model")) for agent in AGENTS}
    servers: dict[str, LocalServer] = {}

    def open_ward(agent: str) -> None:
        simulator = simulators[agent].start()
        home = tmp_path_factory.mktemp(agent)
        servers[agent] = ForkedServer(home, simulator, CBOT_AGENTS_FILE=str(agents_file))
        servers[agent].start()

    try:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(open_ward, AGENTS))
        yield {agent: Ward(agent, AGENTS[agent], simulators[agent], servers[agent]) for agent in AGENTS}
    finally:
        for process in (*servers.values(), *simulators.values()):
            process.end()


@pytest.fixture
async def people(wards: dict[str, Ward]) -> AsyncIterator[dict[str, Person]]:
    """Somebody at each server; all models healthy."""
    async with AsyncExitStack() as stack:
        found = {}
        for agent, ward in wards.items():
            ward.simulator.reset()
            found[agent] = await stack.enter_async_context(signed_in(ward.server.address))
            await _warm_up(ward, found[agent])
        yield found


OF_THE_MOMENT = [fault for fault in Fault if fault is not Fault.MODEL_GONE]
"""A dead model is not asked again for a while: see test_model_refusals.py."""


@pytest.mark.parametrize("fault", OF_THE_MOMENT)
async def test_whatever_the_fault_and_the_agent_the_turn_ends_with_a_reply_in_time(
    fault: Fault, wards: dict[str, Ward], people: dict[str, Person]
) -> None:
    cases = dict(
        zip(
            AGENTS,
            await asyncio.gather(*(_try(wards[agent], people[agent], fault) for agent in AGENTS)),
            strict=True,
        )
    )
    for agent, case in cases.items():
        assert case.drawn, f"{agent} was not asked: nothing was tried"
        assert case.seconds < BOUND_S, agent
        assert case.reply["reply"].strip(), agent
        assert spoken(case.events) == case.reply["reply"], agent
        assert case.after["flags"] == [], f"{agent}: the turn after the fault"
        run = [run for run in case.runs if run.agent == AGENTS[agent].ledger_name][-1]
        if agent != COUNSELOR:
            assert run.decided_by is DecidedBy.SAFE_DEFAULT, agent
            assert run.error, agent
            assert case.reply["flags"] == [], agent
        elif fault in HARMLESS_IN_PROSE:
            assert run.error is None
            assert case.reply["flags"] == []
        else:
            assert run.error
            assert case.reply["flags"] == ["degraded"]
            assert case.reply["reply"] in _apologies()


@pytest.mark.parametrize(
    ("fault", "fields"),
    [
        (Fault.DRIP_STREAM, {"after_tokens": 4}),
        (Fault.DRIP_STREAM, {"after_tokens": 0, "delay_ms": 700}),
        (Fault.GARBAGE_BODY, {"after_tokens": 4}),
        (Fault.BLOCKED_ANSWER, {"after_tokens": 4}),
        (Fault.MAX_TOKENS, {"after_tokens": 4}),
        (Fault.CUT_STREAM, {"after_tokens": 0}),
    ],
)
async def test_words_that_broke_off_too_early_are_replaced_by_an_honest_apology(
    fault: Fault, fields: dict[str, Any], wards: dict[str, Ward], people: dict[str, Person]
) -> None:
    wards[COUNSELOR].simulator.script({COUNSELOR: ["잠이 안 오는 밤이 길게 느껴지셨겠어요, 그렇지요"] * 6})
    case = await _try(wards[COUNSELOR], people[COUNSELOR], fault, **fields)
    assert case.seconds < BOUND_S
    assert case.reply["flags"] == ["degraded"]
    assert case.reply["reply"] in _apologies()
    assert spoken(case.events) == case.reply["reply"]


@pytest.mark.parametrize(
    ("fault", "fields"),
    [
        (Fault.DRIP_STREAM, {"after_tokens": 30}),
        (Fault.CUT_STREAM, {"after_tokens": 30}),
        (Fault.ERROR_IN_STREAM, {"after_tokens": 30}),
        (Fault.MAX_TOKENS, {"after_tokens": 30}),
    ],
)
async def test_whole_sentences_before_a_break_are_kept_and_marked(
    fault: Fault, fields: dict[str, Any], wards: dict[str, Ward], people: dict[str, Person]
) -> None:
    wards[COUNSELOR].simulator.script({COUNSELOR: [LONG_REPLY]})
    case = await _try(wards[COUNSELOR], people[COUNSELOR], fault, **fields)
    assert case.seconds < BOUND_S
    assert case.reply["flags"] == ["shortened"]
    assert LONG_REPLY.startswith(case.reply["reply"])
    assert case.reply["reply"].endswith(".")
    assert spoken(case.events) == case.reply["reply"]


async def test_a_crisis_is_answered_by_the_protocol_at_once_when_the_model_hangs(
    wards: dict[str, Ward], people: dict[str, Person]
) -> None:
    simulator, person = wards[COUNSELOR].simulator, people[COUNSELOR]
    conversation = await person.open()
    simulator.forget_calls()
    simulator.fault("hang")
    reply = await person.say(conversation.id, "이제 정말 죽고 싶어요.")
    assert simulator.calls() == {}, "no model, and no model's timeout, may stand before the protocol"
    assert "crisis" in reply["flags"]
    assert "109" in reply["reply"]
    assert reply["state_snapshot"]["risk"]["resources"]


async def _warm_up(ward: Ward, person: Person) -> None:
    """Talk until a turn is whole: the first one loads the SDK, which may take longer than the short timeouts."""

    async def whole() -> bool:
        conversation = await person.open()
        return (await person.say(conversation.id, HELLO))["flags"] == []

    if not ward.warm:
        await eventually(whole, what="a whole turn")
        ward.warm = True
        ward.simulator.forget_calls()


async def _try(ward: Ward, person: Person, fault: Fault, **fields: Any) -> Case:
    """Have a turn with the fault, then one without."""
    conversation = await person.open()
    for text in ward.reached.before:
        await person.say(conversation.id, text)
    if ward.reached.script:
        ward.simulator.script({agent: [answer] for agent, answer in ward.reached.script})
    ward.simulator.forget_calls()
    ward.simulator.fault(fault, ward.agent, **{"retry_s": 0, **fields})
    began = time.monotonic()
    events = await person.hear(conversation.id, ward.reached.text)
    seconds = time.monotonic() - began
    drawn = sum(call["fault"] == fault for call in ward.simulator.recent_calls())
    ward.simulator.heal()
    ward.simulator.script({})
    after = await person.say(conversation.id, GO_ON)
    async with stored(ward.server.database) as store:
        turns = await store.turns(conversation.id)
    return Case(events, seconds, drawn, turns[len(ward.reached.before)].agents, after)


def _apologies() -> tuple[str, ...]:
    return content().messages(Locale.KO, Register.FORMAL).variants("degraded_reply")
