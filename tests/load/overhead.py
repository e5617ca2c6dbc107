"""What a turn costs besides the model, and how often it calls the model."""

import time
from collections import Counter

import psutil

from shared.domain.turn import TurnRecord
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import Person, signed_in
from tests.support.first_session import BETWEEN, PART_1, PART_2
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

WARM_UP = PART_1[:3]
LINES = (*PART_1, BETWEEN, *PART_2)
GOAL_P50_MS, GOAL_P95_MS = 8, 20
GOAL_CALLS = 2.5


async def overhead(server: LocalServer, simulator: Simulator, sessions: int) -> list[Figure]:
    """Measure with a model that takes no time."""
    simulator.reset()
    walls: dict[str, float] = {}
    turns: list[TurnRecord] = []
    async with signed_in(server.address) as person:
        warm = await person.open()
        for line in WARM_UP:
            await person.say(warm.id, line.text)
        busy = _cpu_seconds(server)
        for number in range(sessions):
            progress(f"overhead: session {number + 1} of {sessions}")
            conversation = await person.open()
            await _session(person, conversation.id, walls)
            async with stored(server.database) as store:
                turns += await store.turns(conversation.id)
    busy = _cpu_seconds(server) - busy
    own = [turn.overhead_ms for turn in turns]
    outside = [walls[turn.message_id] - (turn.total_ms - turn.overhead_ms) for turn in turns]
    calls = [turn.spent.llm_calls for turn in turns]
    asked = Counter(run.agent for turn in turns for run in turn.agents if run.attempts)
    each = ", ".join(f"{agent} {count / len(turns):.2f}" for agent, count in asked.most_common())
    sample = f"{len(turns)} turns, embedded store, instant simulator"
    wall = list(walls.values())
    ledger = f"ledger's `overhead_ms`, which ends before the commit; {sample}"
    around = "client's wall time − the ledger's waiting for the model: all that performance.md means"
    whole = "client's wall time: overhead, SDK, HTTP to the simulator and its own work"
    foreground = f"ledger's `spent.llm_calls`, ten-message first sessions into Part 2: {each}"
    return [
        Figure("own overhead of a turn, p50", median(own), " ms", GOAL_P50_MS, ledger),
        Figure("own overhead of a turn, p95", percentile(own, 95), " ms", GOAL_P95_MS, "the same"),
        Figure("own overhead with HTTP and both commits, p50", median(outside), " ms", GOAL_P50_MS, around),
        Figure("own overhead with HTTP and both commits, p95", percentile(outside, 95), " ms", GOAL_P95_MS, "the same"),
        Figure("wall time of a turn whose model takes no time, p50", median(wall), " ms", None, whole),
        Figure("wall time of a turn whose model takes no time, p95", percentile(wall, 95), " ms", None, "the same"),
        Figure("CPU time of the server a turn", busy * 1000 / len(turns), " ms", None, "background work included"),
        Figure("model calls a turn in the foreground, mean", sum(calls) / len(calls), "", GOAL_CALLS, foreground),
    ]


def _cpu_seconds(server: LocalServer) -> float:
    times = psutil.Process(server.pid).cpu_times()
    return float(times.user + times.system)


async def _session(person: Person, conversation_id: str, walls: dict[str, float]) -> None:
    async def planned() -> bool:
        return (await person.snapshot(conversation_id))["plan_status"] != "planning"

    for line in LINES:
        began = time.perf_counter()
        reply = await person.say(conversation_id, line.text)
        walls[reply["message_id"]] = (time.perf_counter() - began) * 1000
        if reply["state_snapshot"]["plan_status"] == "planning":
            await eventually(planned, what="the plan")
