"""How long a fresh process takes until it answers."""

import asyncio
import re
import time
from pathlib import Path

import httpx

from local.ports import free_port
from tests.load.figures import Figure, median, progress
from tests.support.chat_client import signed_in
from tests.support.local_server import LocalServer
from tests.support.process import LOOPBACK, run_python
from tests.support.simulator import Simulator

GOAL_HEALTHZ_S, GOAL_TURN_S = 0.9, 1.3
LOOK_EVERY_S = 0.003
GIVE_UP_S = 60
IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+(\d+) \| functions\S*$", re.MULTILINE)
"""A line of a module that nothing else imported: the name is not indented."""


async def cold_start(home: Path, simulator: Simulator, starts: int) -> list[Figure]:
    simulator.reset()
    found = []
    for number in range(starts):
        progress(f"cold start {number + 1} of {starts}")
        ended = await asyncio.to_thread(run_python, "-X", "importtime", "-c", "import functions.chat.main")
        imported = sum(map(int, IMPORTED.findall(ended.stderr))) / 1_000_000
        found.append((imported, *await _start(home / f"start-{number}", simulator)))
    imports, healthz, turns = map(median, zip(*found, strict=True))
    of = f"median of {starts} fresh processes"
    whole = f"process start of `python -m local`: all functions and the embedded platform; {of}"
    turn = "the same, then sign-in, a new conversation and a turn; instant simulator"
    return [
        Figure("import of `functions.chat.main`", imports, " s", None, f"`python -X importtime`, total; {of}"),
        Figure("cold start to the first byte of `/healthz`", healthz, " s", GOAL_HEALTHZ_S, whole),
        Figure("cold start to the end of the first turn", turns, " s", GOAL_TURN_S, turn),
    ]


async def _start(home: Path, simulator: Simulator) -> tuple[float, float]:
    """Return the seconds to the first byte and to the first turn's end."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    server = LocalServer(home, simulator, PORT=str(port))
    began = time.perf_counter()
    starting = asyncio.create_task(server.start_aside())
    try:
        await _answers(address, began + GIVE_UP_S)
        first_byte = time.perf_counter() - began
        async with signed_in(address) as person:
            await person.say((await person.open()).id, "안녕하세요, 요즘 잠이 안 와요.")
        return first_byte, time.perf_counter() - began
    finally:
        await starting
        server.end()


async def _answers(address: str, deadline: float) -> None:
    async with httpx.AsyncClient(**LOOPBACK) as http:
        while True:
            try:
                (await http.get(f"{address}/healthz")).raise_for_status()
            except httpx.TransportError:
                if time.perf_counter() > deadline:
                    raise
                await asyncio.sleep(LOOK_EVERY_S)
            else:
                return
