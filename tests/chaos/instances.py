"""Chat instances as deployed: the staged folder under functions-framework, beside the emulators of a household."""

import asyncio
import hashlib
import os
import re
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Self, TypeVar

from infra.staging.folder import stage
from tests.support.emulated import Emulated
from tests.support.forked import ForkedSimulator
from tests.support.process import ROOT
from tests.support.simulator import Simulator
from tests.support.staged import StagedFunction, clean_venv

T = TypeVar("T")

_ONE_AT_A_TIME = threading.Lock()
BUILD = ROOT / "build" / "chaos"
QUICK_SWEEP = {"CBOT_SWEEP_SECONDS": "3", "CBOT_SWEEP_GRACE_SECONDS": "5"}
_LIMITS = re.compile(r"^CBOT_.*(_PER_|MAX_)")
"""Of the local machine, which are higher than the deployed ones."""
_OF_A_FUNCTION = re.compile(r"^(CBOT_|GEMINI_|GOOGLE_|FIRESTORE_|CLOUD_TASKS_)")


def staged_chat() -> tuple[Path, Path]:
    """Return the virtual environment and the staged folder of `chat`, made once a process."""
    with _ONE_AT_A_TIME:
        return _staged_chat()


@cache
def _staged_chat() -> tuple[Path, Path]:
    folder = stage(ROOT, "chat", BUILD)
    lock = folder / "requirements.txt"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    venv = BUILD / f"venv-{digest}"
    if not (venv / "complete").exists():
        clean_venv(venv, lock)
        (venv / "complete").touch()
    return venv, folder


class ChatInstance(StagedFunction):
    """One instance of the deployed `chat`, with deployed limits, over a household's database and queues."""

    def __init__(self, emulated: Emulated, simulator: Simulator, log: str) -> None:
        """Prepare; `log` names its output."""
        chat = emulated.pid_of("chat")
        lines = Path(f"/proc/{chat}/environ").read_text("utf-8").split("\0")
        variables = dict(line.split("=", 1) for line in lines if _OF_A_FUNCTION.match(line))
        kept = {name: value for name, value in variables.items() if not _LIMITS.match(name)}
        model = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": simulator.address}
        venv, folder = staged_chat()
        super().__init__(venv, folder, "chat", {**kept, **model}, log=log)

    def send_signal(self, number: signal.Signals) -> None:
        """Signal the process that the platform signals: the first one; SIGKILL takes its workers along."""
        assert self._process is not None, "it does not run"
        if number is signal.SIGKILL:
            os.killpg(self._process.pid, number)
        else:
            self._process.send_signal(number)

    @property
    def alive(self) -> bool:
        """Whether the first process runs."""
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        super().__enter__()
        return self


@asynccontextmanager
async def chat_instance(emulated: Emulated, home: Path, name: str) -> AsyncIterator[tuple[ChatInstance, Simulator]]:
    """Run one instance with a model of its own."""
    home.mkdir()
    simulator = ForkedSimulator(home, ttft_ms=250, token_ms=8)
    await asyncio.to_thread(simulator.start)
    instance = None
    try:
        instance = await asyncio.to_thread(ChatInstance, emulated, simulator, f"{name}.log")
        await asyncio.to_thread(instance.__enter__)
        yield instance, simulator
    finally:
        if instance is not None:
            await asyncio.to_thread(instance.end)
        await asyncio.to_thread(simulator.end)


class SharedEmulators:
    """The emulators that some rows share, started by the first of them."""

    def __init__(self, home: Path) -> None:
        """Prepare; nothing runs before a row asks."""
        self._home = home
        self._emulated: Emulated | None = None
        self._simulator: Simulator | None = None
        self._starting = asyncio.Lock()

    def over(self, row: Callable[[Emulated, Path], Awaitable[T]]) -> Callable[[Path], Awaitable[T]]:
        """Return a row that is measured over the emulators."""

        async def measured(folder: Path) -> T:
            async with self._starting:
                if self._emulated is None:
                    self._emulated = await asyncio.to_thread(self._start)
            return await row(self._emulated, folder)

        return measured

    def end(self) -> None:
        """End what was started."""
        for process in (self._emulated, self._simulator):
            if process is not None:
                process.end()

    def _start(self) -> Emulated:
        self._simulator = ForkedSimulator(self._home, ttft_ms=250, token_ms=8).start()
        access = {"GEMINI_API_KEY": "test", "GOOGLE_GEMINI_BASE_URL": self._simulator.address}
        return Emulated(self._home, **access, **QUICK_SWEEP).start()
