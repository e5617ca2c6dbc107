"""The own time of a turn and of a crisis reply, and the model calls of a turn."""

import asyncio
import time
from collections import Counter

import psutil

from local.gemini.faults import Fault
from tests.builders.first_session import BETWEEN, PART_1, PART_2, await_the_plan
from tests.load.figures import Figure, median, percentile, progress
from tests.support.chat_client import signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import stored

LINES = (*PART_1, BETWEEN, *PART_2)
GOAL_P50_MS, GOAL_P95_MS, GOAL_CALLS = 8, 20, 2.5
DANGER = "이제 정말 죽고 싶어요."
REPEATED = 3  # messages of danger in a conversation: fewer than the rate limit allows
GOAL_CRISIS_MS = 50  # safety.md, Crisis: complete in under 50 ms of own time


async def overhead(server: LocalServer, simulator: Simulator, sessions: int, pause_s: float) -> list[Figure]:
    """Take whole sessions; before each message `pause_s` for the background work, which uses the same process."""
    simulator.reset()
    walls, turns = {}, []
    async with signed_in(server.address) as person:
        warm = await person.open()
        for line in PART_1[:3]:
            await person.say(warm.id, line.client)
        busy = _cpu_seconds(server)
        for number in range(sessions):
            progress(f"overhead: session {number + 1} of {sessions}")
            conversation = await person.open()
            for line in LINES:
                await asyncio.sleep(pause_s)
                began = time.perf_counter()
                reply = await person.say(conversation.id, line.client)
                walls[reply["message_id"]] = (time.perf_counter() - began) * 1000
                await await_the_plan(person, conversation.id, reply)
            async with stored(server.database) as store:
                turns += await store.turns(conversation.id)
    busy = _cpu_seconds(server) - busy
    own = [turn.overhead_ms for turn in turns]
    outside = [walls[turn.message_id] - (turn.total_ms - turn.overhead_ms) for turn in turns]
    calls = sum(turn.spent.llm_calls for turn in turns) / len(turns)
    asked = Counter(run.agent for turn in turns for run in turn.agents if run.attempts)
    each = ", ".join(f"{agent} {count / len(turns):.2f}" for agent, count in asked.most_common())
    ledger = (
        f"ledger's `overhead_ms`, which ends before the commit; {len(turns)} turns, embedded store, instant simulator; "
        f"{pause_s:g} s for the background work before each message"
    )
    around = "client's wall time − the ledger's waiting for the model: all that performance.md means"
    whole = "client's wall time: overhead, SDK, HTTP to the simulator and its own work"
    foreground = f"ledger's `spent.llm_calls`, ten-message first sessions into Part 2: {each}"
    return [
        *_p50_and_p95("own overhead of a turn", own, ledger, (GOAL_P50_MS, GOAL_P95_MS)),
        *_p50_and_p95("own overhead with HTTP and both commits", outside, around, (GOAL_P50_MS, GOAL_P95_MS)),
        *_p50_and_p95("wall time of a turn whose model takes no time", list(walls.values()), whole, (None, None)),
        Figure("CPU time of the server a turn", busy * 1000 / len(turns), " ms", None, "background work included"),
        Figure("model calls a turn in the foreground, mean", calls, "", GOAL_CALLS, foreground),
    ]


def _p50_and_p95(name: str, ms: list[float], how: str, goals: tuple[float | None, float | None]) -> list[Figure]:
    return [
        Figure(f"{name}, p50", median(ms), " ms", goals[0], how),
        Figure(f"{name}, p95", percentile(ms, 95), " ms", goals[1], "the same"),
    ]


def _cpu_seconds(server: LocalServer) -> float:
    times = psutil.Process(server.pid).cpu_times()
    return float(times.user + times.system)


async def crisis_reply(server: LocalServer, simulator: Simulator, sessions: int) -> list[Figure]:
    simulator.reset()
    simulator.fault(Fault.HANG)
    own: list[float] = []
    async with signed_in(server.address) as person:
        await person.say((await person.open()).id, DANGER)
        for number in range(sessions):
            progress(f"crisis reply: session {number + 1} of {sessions}")
            conversation = await person.open()
            for _ in range(REPEATED):
                await person.say(conversation.id, DANGER)
            async with stored(server.database) as store:
                own += [turn.overhead_ms for turn in await store.turns(conversation.id)]
    simulator.reset()
    how = f"ledger's `overhead_ms` of {len(own)} crisis messages; the model hangs"
    return [Figure("crisis reply, own time, p95", percentile(own, 95), " ms", GOAL_CRISIS_MS, how)]
