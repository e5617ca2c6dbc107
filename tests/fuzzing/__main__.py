"""`make fuzz-api`: fuzzes the chat API of a local server with its simulator; exit 1 when it finds a fault."""

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

import httpx

from tests.fuzzing.api import Run
from tests.support.chat_client import OPENING
from tests.support.local_server import LocalServer


def main() -> int:
    """Fuzz with ids of no conversation, then with a conversation's own."""
    parser = argparse.ArgumentParser(prog="make fuzz-api")
    parser.add_argument("--examples", type=int, default=60, help="requests of each operation and phase (60)")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31), help="repeats a run")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    found = 0
    with tempfile.TemporaryDirectory() as home, LocalServer(Path(home)) as server:
        stranger = (None, signed_in(server.address)["id_token"])
        for own, token in (stranger, *asyncio.run(opened(server.address))):
            code, output = Run(server.address, token, given.seed, given.examples, own).go()
            print(output, flush=True)
            found = found or code
        if " request_broke " in server.stderr:
            print(server.stderr[-4000:])
            found = 1
    return 1 if found else 0


def signed_in(address: str, **wanted: str) -> dict[str, str]:
    answer = httpx.post(f"{address}/local/sign-in", json=wanted, trust_env=False, timeout=60)
    body: dict[str, str] = answer.raise_for_status().json()
    return body


async def opened(address: str) -> list[tuple[str, str]]:
    """Return a conversation and the token of its owner, who is also a reviewer."""
    token = signed_in(address, role="reviewer")["id_token"]
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, trust_env=False, timeout=60) as http:
        created = await http.post("/api/conversations", json=dict(OPENING))
    return [(created.raise_for_status().json()["conversation_id"], token)]


if __name__ == "__main__":
    sys.exit(main())
