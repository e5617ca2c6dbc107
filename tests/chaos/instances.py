"""Chat instances as deployed: the staged folder under functions-framework, over running emulators."""

import asyncio
import hashlib
import os
import re
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import psutil

from infra.staging.folder import stage
from tests.support.emulated import Emulated
from tests.support.forked import ForkedSimulator
from tests.support.process import ROOT
from tests.support.simulator import Simulator
from tests.support.staged import StagedFunction, clean_venv

T = TypeVar("T")

_ONE_AT_A_TIME = threading.Lock()
BUILD = ROOT / "build" / "chaos"
TTFT_MS, TOKEN_MS = 250, 8
"""The simulator's pace: that of a small fast model."""
QUICK_SWEEP = {"CBOT_SWEEP_SECONDS": "3", "CBOT_SWEEP_GRACE_SECONDS": "5"}
_LIMITS = re.compile(r"^CBOT_.*(_PER_|MAX_)")
"""Those of the local machine are higher than the deployed ones."""
_OF_A_FUNCTION = re.compile(r"^(CBOT_|GEMINI_|GOOGLE_|FIRESTORE_|CLOUD_TASKS_)")


@cache
def _staged_chat() -> tuple[Path, Path]:
    """Return the virtual environment and the staged folder of `chat`, made once a process."""
    folder = stage(ROOT, "chat", BUILD)
    lock = folder / "requirements.txt"
    venv = BUILD / f"venv-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if not (venv / "complete").exists():
        clean_venv(venv, lock)
        (venv / "complete").touch()
    return venv, folder


class ChatInstance(StagedFunction):
    """One instance of the deployed `chat`, over the database and the queues of running emulators."""

    def __init__(self, emulated: Emulated, simulator: Simulator, log: str, *, limits: bool = True) -> None:
        """Prepare; `log` names its output. Without `limits` those of the local machine hold, not the deployed ones."""
        lines = Path(f"/proc/{emulated.pid_of('chat')}/environ").read_text("utf-8").split("\0")
        variables = dict(line.split("=", 1) for line in lines if _OF_A_FUNCTION.match(line))
        kept = {name: value for name, value in variables.items() if not (limits and _LIMITS.match(name))}
        with _ONE_AT_A_TIME:
            venv, folder = _staged_chat()
        super().__init__(venv, folder, "chat", {**kept, **simulator.access}, log=log)
        self._starts = 0

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def pids(self) -> list[int]:
        """The first process comes first, then its workers."""
        if not self.alive or self._process is None:
            return []
        first = psutil.Process(self._process.pid)
        return [first.pid, *(child.pid for child in first.children(recursive=True))]

    def send_signal(self, number: signal.Signals) -> None:
        """SIGTERM goes to the first process, as the platform's does; anything else to its workers as well."""
        assert self._process is not None, "it does not run"
        if number is signal.SIGTERM:
            self._process.send_signal(number)
        else:
            os.killpg(self._process.pid, number)

    def logs(self) -> list[Path]:
        """Return the files that it has written to, those of earlier starts included."""
        return sorted(self._folder.parent.glob(f"{self._log.name.partition('.')[0]}*.log"))

    def start_again(self) -> bool:
        """Start it at the same address, with another file for its output; False if it ended before it was ready."""
        self.end()
        self._starts += 1
        self._log = self._log.with_suffix(f".{self._starts}.log")
        return self.launch().ready()


@asynccontextmanager
async def chat_instance(emulated: Emulated, home: Path, name: str) -> AsyncIterator[tuple[ChatInstance, Simulator]]:
    """Run one instance with a model of its own."""
    simulator = ForkedSimulator(home, ttft_ms=TTFT_MS, token_ms=TOKEN_MS)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, simulator.end)
        await asyncio.to_thread(simulator.start)
        instance = await asyncio.to_thread(ChatInstance, emulated, simulator, f"{name}.log")
        stack.push_async_callback(asyncio.to_thread, instance.end)
        await asyncio.to_thread(instance.__enter__)
        yield instance, simulator


@dataclass(frozen=True)
class Emulators:
    """The emulators with the functions over them, and the model that these call."""

    emulated: Emulated
    simulator: Simulator


class SharedEmulators:
    """The emulators that some rows share, started by the first of them."""

    def __init__(self, home: Path) -> None:
        """Prepare; nothing runs before a row asks."""
        self._home = home
        self._running: Emulators | None = None
        self._starting = asyncio.Lock()

    def over(self, row: Callable[[Emulators, Path], Awaitable[T]]) -> Callable[[Path], Awaitable[T]]:
        """Return a row that is measured over the emulators."""

        async def measured(folder: Path) -> T:
            async with self._starting:
                if self._running is None:
                    self._running = await asyncio.to_thread(self._start)
            return await row(self._running, folder)

        return measured

    def end(self) -> None:
        if self._running is not None:
            self._running.emulated.end()
            self._running.simulator.end()

    def _start(self) -> Emulators:
        simulator = ForkedSimulator(self._home, ttft_ms=TTFT_MS, token_ms=TOKEN_MS).start()
        return Emulators(Emulated(self._home, **simulator.access, **QUICK_SWEEP).start(), simulator)
