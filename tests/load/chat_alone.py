"""`python -m tests.load.chat_alone DATA_DIR`: the chat function alone over the embedded store, without background work.

As deployed: the work after a turn is the business of other instances. The queue only keeps what it is given.
"""

import asyncio
import os
import sys
from pathlib import Path

from local.embedded.database import SqliteDocumentDatabase
from local.listening import QuietServer, bound
from local.ports import HOST
from shared.adapters.firebase_identity.unsigned import UnsignedIdentity
from shared.adapters.system_clock import SystemClock
from shared.config.settings import LocalSettings
from tests.builders.composed import chat_over, model_at
from tests.support.process import ReadyProcess
from tests.support.simulator import Simulator

PROJECT = "demo-cbot"


class ChatAlone(ReadyProcess):
    """The chat function in a process of its own."""

    def __init__(self, home: Path, simulator: Simulator) -> None:
        arguments = ["-m", "tests.load.chat_alone", str(home / "data")]
        super().__init__(arguments, simulator.access, home / "stderr.log")


async def serve(data_dir: Path, model: str) -> None:
    """Serve until SIGINT or SIGTERM."""
    listener = bound(0)
    database = await SqliteDocumentDatabase.open(data_dir / "cbot.sqlite3")
    identity = UnsignedIdentity(PROJECT, SystemClock(), os.environ)
    parts = chat_over(database, model=model_at(model), settings=LocalSettings.read({}), identity=identity)
    await parts.warm()
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    await QuietServer(parts.app, f"chat alone at {address}").until_signal(listener, parts.drain)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), os.environ["GOOGLE_GEMINI_BASE_URL"]))
