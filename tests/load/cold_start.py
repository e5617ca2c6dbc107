"""How long a fresh `python -m local` takes until it answers."""

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
    whole = f"all functions and the embedded platform; {of}"
    turn = "the same, then sign-in, a new conversation and a turn; instant simulator"
    return [
        Figure("import of `functions.chat.main`", imports, " s", None, f"`python -X importtime`, total; {of}"),
        Figure("start of `python -m local` to the first byte of `/healthz`", healthz, " s", None, whole),
        Figure("start of `python -m local` to the end of the first turn", turns, " s", None, turn),
    ]


async def _start(home: Path, simulator: Simulator) -> tuple[float, float]:
    """Return the seconds to the first byte and to the first turn's end."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    server = LocalServer(home, simulator, PORT=str(port))
    began = time.perf_counter()
    starting = asyncio.create_task(server.start_aside())
    try:
        await first_byte(address)
        answered = time.perf_counter() - began
        async with signed_in(address) as person:
            await person.say((await person.open()).id, "안녕하세요, 요즘 잠이 안 와요.")
        return answered, time.perf_counter() - began
    finally:
        await starting
        server.end()


async def first_byte(address: str) -> None:
    """Wait for the port, which costs little where processes share a few cores, then for the answer."""
    url, deadline = httpx.URL(address), time.perf_counter() + GIVE_UP_S
    while not await _listens(url):
        assert time.perf_counter() < deadline, f"nothing listens at {address} after {GIVE_UP_S} s"
        await asyncio.sleep(LOOK_EVERY_S)
    async with httpx.AsyncClient(timeout=GIVE_UP_S, **LOOPBACK) as http:
        (await http.get(f"{address}/healthz")).raise_for_status()


async def _listens(url: httpx.URL) -> bool:
    try:
        _, writer = await asyncio.open_connection(url.host, url.port)
    except OSError:
        return False
    writer.close()
    return True
