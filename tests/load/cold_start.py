"""How long a fresh process takes until it answers."""

import asyncio
import re
import subprocess
import sys
import time
from pathlib import Path

import httpx

from local.loopback import NO_AUTHORITIES
from local.ports import free_port
from tests.load.figures import Figure, median, progress
from tests.support.chat_client import signed_in
from tests.support.local_server import LocalServer
from tests.support.process import ROOT, clean_environment
from tests.support.simulator import Simulator

GOAL_HEALTHZ_S, GOAL_TURN_S = 0.9, 1.3
LOOK_EVERY_S = 0.003
GIVE_UP_S = 60
_IMPORTED = re.compile(r"import time:\s+\d+ \|\s+(\d+) \| (\S+)$")
"""A line of a module that nothing else imported: the name is not indented."""


async def cold_start(home: Path, simulator: Simulator, starts: int) -> list[Figure]:
    """Start processes one after the other."""
    simulator.reset()
    imports = []
    healthz = []
    turns = []
    for number in range(starts):
        progress(f"cold start {number + 1} of {starts}")
        imports.append(await asyncio.to_thread(_import_seconds))
        first_byte, first_turn = await _start(home / f"start-{number}", simulator)
        healthz.append(first_byte)
        turns.append(first_turn)
    of = f"median of {starts} fresh processes"
    whole = (
        "process start of `python -m local`: all functions and the embedded platform, `chat` alone waits for adapters"
    )
    return [
        Figure("import of `functions.chat.main`", median(imports), " s", None, f"`python -X importtime`, total; {of}"),
        Figure(
            "cold start to the first byte of `/healthz`",
            median(healthz),
            " s",
            GOAL_HEALTHZ_S,
            f"{whole}; {of}",
        ),
        Figure(
            "cold start to the end of the first turn",
            median(turns),
            " s",
            GOAL_TURN_S,
            "the same, then sign-in, a new conversation and a turn; instant simulator",
        ),
    ]


def _import_seconds() -> float:
    command = [sys.executable, "-X", "importtime", "-c", "import functions.chat.main"]
    ended = subprocess.run(
        command, cwd=ROOT, env=clean_environment({}), capture_output=True, text=True, timeout=GIVE_UP_S, check=True
    )
    found = [match for line in ended.stderr.splitlines() if (match := _IMPORTED.match(line))]
    return sum(int(match[1]) for match in found if match[2].startswith("functions")) / 1_000_000


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
            conversation = await person.open()
            await person.say(conversation.id, "안녕하세요, 요즘 잠이 안 와요.")
        return first_byte, time.perf_counter() - began
    finally:
        await starting
        server.end()


async def _answers(address: str, deadline: float) -> None:
    async with httpx.AsyncClient(trust_env=False, verify=NO_AUTHORITIES) as http:
        while True:
            try:
                response = await http.get(f"{address}/healthz")
            except httpx.TransportError:
                if time.perf_counter() > deadline:
                    raise
                await asyncio.sleep(LOOK_EVERY_S)
            else:
                response.raise_for_status()
                return
