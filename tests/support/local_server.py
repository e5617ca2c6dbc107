"""`python -m local` with a data directory of its own."""

import asyncio
from pathlib import Path
from typing import Self

from tests.support.process import ReadyProcess
from tests.support.simulator import Simulator


class LocalServer(ReadyProcess):
    """The whole of CBot in one process; may be killed and started again on the same data, which is in `home`."""

    def __init__(self, home: Path, simulator: Simulator | None = None, **variables: str) -> None:
        self.home = home
        place = {"PORT": "0", "CBOT_DATA_DIR": str(home / "data")}
        quick = {"CBOT_SIMULATOR_TTFT_MS": "0", "CBOT_SIMULATOR_TOKEN_MS": "0"}
        access = simulator.access if simulator else quick
        super().__init__(["-m", "local"], {**place, **access, **variables}, home / "stderr.log")

    @property
    def database(self) -> Path:
        return self.home / "data" / "cbot.sqlite3"

    async def start_aside(self) -> Self:
        """`start`, while the event loop goes on."""
        return await asyncio.to_thread(self.start)

    async def restart(self) -> None:
        """SIGKILL it if it runs, and start it again on the same data; the port is a new one."""
        await asyncio.to_thread(self.end)
        await self.start_aside()
