"""`python -m tests.load.cost`: runs first sessions on a fresh server and prints their cost."""

import argparse
import asyncio
import tempfile
from pathlib import Path

import psutil

from local.cost import report, usage_of
from shared.config.agents import agent_models
from tests.builders.first_session import BETWEEN, PART_1, PART_2, await_the_plan
from tests.load.figures import progress
from tests.support.chat_client import Person, signed_in
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

LINES = (*PART_1, BETWEEN, *PART_2)


async def measure(home: Path, sessions: int) -> str:
    """Return the table of so many scripted sessions, with their background work and closings."""
    with Simulator(home) as simulator, LocalServer(home / "server", simulator) as server:
        process = psutil.Process(server.pid)
        before = process.cpu_times()
        async with signed_in(server.address) as person:
            for number in range(sessions):
                progress(f"cost: session {number + 1} of {sessions}")
                await _session(person, server)
        after = process.cpu_times()
        usage = usage_of(server.database)
    busy = (after.user - before.user + after.system - before.system) * 1000 / usage.turns
    priced = report(usage, agent_models().catalogue)
    return f"{priced}\n\nCPU time of the server, all four functions: {busy:.0f} ms a turn."


async def _session(person: Person, server: LocalServer) -> None:
    conversation = await person.open()

    async def closed() -> bool:
        async with stored(server.database) as store:
            return bool(await store.documents(conversation.id, "closings"))

    for line in LINES:
        await await_the_plan(person, conversation.id, await person.say(conversation.id, line.client))
    response = await person.http.post(f"/api/conversations/{conversation.id}/end")
    assert response.status_code == 200, response.text
    await eventually(closed, what="the closing work")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load.cost", description=__doc__)
    parser.add_argument("--sessions", type=int, default=5)
    sessions: int = parser.parse_args().sessions
    with tempfile.TemporaryDirectory(prefix="cbot-cost-") as home:
        table = asyncio.run(measure(Path(home), sessions))
    print(f"Scripted first sessions of {len(LINES)} messages, ended by the person.\n\n{table}", flush=True)


if __name__ == "__main__":
    main()
