"""`python -m local.emulators`: the functions in processes of their own over the real Firestore emulator."""

import os
import signal
from pathlib import Path
from typing import Any, Self

import httpx

from tests.support.emulators import firestore_emulator_or_skip
from tests.support.process import LOOPBACK, ReadyProcess


class Emulated(ReadyProcess):
    """The whole of CBot as `make run-emulators` runs it; without Java or the emulator the test is skipped or fails.

    Attributes:
        firestore: `host:port` of the emulator.
        chat: Address of the chat function.
    """

    def __init__(self, home: Path, **variables: str) -> None:
        """Prepare; without Java or the emulator the test is skipped, or fails where they are required."""
        firestore_emulator_or_skip(home / "unused.log")
        quick = {"CBOT_SIMULATOR_TTFT_MS": "0", "CBOT_SIMULATOR_TOKEN_MS": "0", "CBOT_LOG_LEVEL": "INFO"}
        passed_on = {name: os.environ[name] for name in ("FIRESTORE_EMULATOR_JAR", "JAVA_HOME") if name in os.environ}
        environment = {"PORT": "0", "CBOT_SIGN_IN": "local", **quick, **passed_on, **variables}
        super().__init__(["-m", "local.emulators"], environment, home / "stderr.log")
        self._kept = home / "logs"
        self.firestore = ""
        self.chat = ""

    def logs(self) -> list[Path]:
        return [*super().logs(), *self._kept.glob("*.log")]

    def start(self) -> Self:
        super().start()
        parts = self.parts()
        self.firestore, self.chat = parts["firestore"], parts["functions"]["chat"]
        folder = Path(parts["logs"])  # it goes when the parts do: hold on to what is in it
        self._kept = self._kept.with_name(folder.name)
        self._kept.mkdir()
        for log in folder.glob("*.log"):
            (self._kept / log.name).hardlink_to(log)
        return self

    def parts(self) -> dict[str, Any]:
        return httpx.get(f"{self.address}/local/parts", **LOOPBACK, timeout=180).json()

    def pid_of(self, part: str) -> int | None:
        return self.parts()["pids"][part]

    def kill_part(self, part: str) -> int:
        pid = self.pid_of(part)
        assert pid is not None, f"{part} does not run"
        os.kill(pid, signal.SIGKILL)
        return pid

    def end(self) -> None:
        """End it in order, so that its children end too; by force if it does not."""
        code = self.stop() if self.alive else 0
        super().end()
        assert code == 0, f"it ended with {code}:\n{self.stderr[-4000:]}"

    def control(self, what: str) -> None:
        """`hold` all deliveries, `release` them, or wait until they are `idle`."""
        answer = httpx.post(f"{self.parts()['events']}/control/{what}", timeout=180, **LOOPBACK)
        assert answer.status_code == 204, answer.text
