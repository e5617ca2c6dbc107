"""Rows of the fault table: the model fails, with one server and one simulator for each fault."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.instances import TOKEN_MS, TTFT_MS
from tests.chaos.measured import Measured
from tests.chaos.turns import Place, listen
from tests.support.chat_client import Person, signed_in
from tests.support.forked import ForkedServer, ForkedSimulator
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator

CHATTER = (
    "음, 어디서부터 말해야 할지 잘 모르겠어요.",
    "그냥 요즘 하루가 참 길게 느껴져요.",
    "창밖을 보면 다들 바쁘게 걸어가더라고요.",
    "저녁에는 불을 끄고 가만히 누워 있을 때가 많아요.",
    "주말에도 딱히 하고 싶은 일이 떠오르지 않아요.",
)
"""Says nothing that a task waits for; every turn calls the same agents."""
CRISIS = "이제 다 끝내고 죽고 싶어요."
BLANK = {"Counselor": ["  \n "] * 100}


@dataclass(frozen=True)
class ModelFault:
    """A fault of the model.

    Attributes:
        injected: Bodies for the simulator: fault and agent.
        blank: The Counselor's answers are white space.
        main_model_only: Hits the Counselor's own model, and not the one that stands in for it.
    """

    name: str
    injected: tuple[tuple[str, str], ...] = ()
    blank: bool = False
    main_model_only: bool = False


ANALYSERS = ("TaskCompletion", "UserStateReading", "TaskChoice", "ModulePick")
MODEL_FAULTS = (
    ModelFault("none"),
    ModelFault("Counselor empty", (("empty", "Counselor"),)),
    ModelFault("Counselor blank", blank=True),
    ModelFault("Counselor blocked (prompt)", (("blocked_prompt", "Counselor"),)),
    ModelFault("Counselor blocked (finish SAFETY)", (("blocked_answer", "Counselor"),)),
    ModelFault("Counselor hangs", (("hang", "Counselor"),)),
    ModelFault("Counselor's model empty", (("empty", "Counselor"),), main_model_only=True),
    ModelFault("Counselor's model hangs", (("hang", "Counselor"),), main_model_only=True),
    ModelFault("Counselor's model not found", (("model_gone", "Counselor"),), main_model_only=True),
    ModelFault("analysers empty", tuple(("empty", agent) for agent in ANALYSERS)),
    ModelFault("analysers blocked", tuple(("blocked_prompt", agent) for agent in ANALYSERS)),
    ModelFault("every model hangs", (("hang", "*"),)),
    ModelFault("every model 503", (("unavailable", "*"),)),
    ModelFault("every model 429 with RetryInfo", (("rate_limit", "*"),)),
    ModelFault("every model not found", (("model_gone", "*"),)),
)


@dataclass
class Home:
    """A server of its own with its model, and somebody signed in."""

    server: LocalServer
    simulator: Simulator
    person: Person


@asynccontextmanager
async def home(folder: Path, **variables: str) -> AsyncIterator[Home]:
    """Start a simulator and a server; they are gone at the end."""
    simulator = ForkedSimulator(folder, ttft_ms=TTFT_MS, token_ms=TOKEN_MS)
    server: LocalServer | None = None
    try:
        await asyncio.to_thread(simulator.start)
        server = ForkedServer(folder, simulator, **variables)
        await server.start_aside()
        async with signed_in(server.address) as person:
            yield Home(server, simulator, person)
    finally:
        for process in (server, simulator):
            if process is not None:
                await asyncio.to_thread(process.end)


async def measure_model_fault(fault: ModelFault, folder: Path) -> list[Measured]:
    """Talk five turns under the fault; report the first, the fifth, and a crisis message after them."""
    async with home(folder) as at:
        place = Place(fault.name, at.person, at.simulator)
        warm = await at.person.open()
        await listen(at.person, warm.id, CHATTER[0])  # loads what only a first turn waits for
        await _inject(fault, at.simulator)
        conversation, danger = await at.person.open(), await at.person.open()
        found = [await place.measure(str(n), conversation.id, text) for n, text in enumerate(CHATTER, start=1)]
        return [found[0], found[-1], await place.measure("crisis message", danger.id, CRISIS)]


async def _inject(fault: ModelFault, simulator: Simulator) -> None:
    only: dict[str, str] = {}
    if fault.main_model_only:
        recent = await asyncio.to_thread(simulator.recent_calls)
        only["model"] = next(call["model"] for call in recent if call["agent"] == "Counselor")
    for kind, agent in fault.injected:
        await asyncio.to_thread(simulator.fault, kind, agent, **only)
    if fault.blank:
        await asyncio.to_thread(simulator.script, BLANK)
