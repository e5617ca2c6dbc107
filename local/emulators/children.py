"""Child processes, started, restarted and ended together; none outlives its parent."""

import asyncio
import logging
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from local.emulators.orphans import ending_with_parent
from shared.domain.errors import ConfigError

log = logging.getLogger(__name__)

READY_SECONDS = 120.0
"""A slow laptop starts eight processes at once."""
END_SECONDS = 25.0
"""Longer than a server waits for running answers (`local.server.GRACE_SECONDS`)."""
FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.1, 5.0
"""Pause before a restart; doubled from first to last, and reset after a long life."""
LONG_LIFE_SECONDS = 30.0


@dataclass(frozen=True)
class Command:
    """A command to run.

    Attributes:
        environment: The complete environment.
        ready: Prefix of the output line that says that the child is ready.
        ready_s: Timeout until that line, seconds.
        end_s: Timeout after SIGTERM before it is killed, seconds.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    ready: str
    ready_s: float = READY_SECONDS
    end_s: float = END_SECONDS


class Child:
    """A process that is restarted whenever it ends."""

    def __init__(self, command: Command, log_file: Path, said: Callable[[str], None]) -> None:
        """Prepare without starting.

        Args:
            command: The command.
            log_file: File for the output of all runs.
            said: Called with a line when the process ended and was restarted.
        """
        self.name = command.name
        self._command = command
        self._log_file = log_file
        self._said = said
        self._process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Id of the running process, or None."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def start(self) -> None:
        """Start it, wait until it is ready, and restart it from then on.

        Raises:
            ConfigError: It ended or was not ready in time; the message has its last line.
        """
        try:
            await self._run_until_ready()
        except BaseException:
            await self.end()
            raise
        self._keeper = asyncio.create_task(self._keep())

    async def end(self) -> None:
        """End it, by SIGTERM first; safe to repeat."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
            self._keeper = None
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(self._command.end_s):
                await process.wait()
        except TimeoutError:
            log.warning("%s did not end within %.0f s and was killed", self.name, self._command.end_s)
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _run_until_ready(self) -> None:
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            *ending_with_parent(self._command.arguments),
            env=dict(self._command.environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            # A session of its own, so that Ctrl-C reaches only the parent, which ends all in order.
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._command.ready_s):
                await self._ready_line(self._process)
        except TimeoutError:
            late = f"{self.name} was not ready after {self._command.ready_s:.0f} s"
            raise ConfigError(f"{late}; it said last: {self._last_words()}") from None

    async def _ready_line(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - for mypy: it is piped
        async for line in process.stdout:
            self._write(line)
            if line.decode(errors="replace").startswith(self._command.ready):
                return
        await process.wait()
        raise ConfigError(f"{self.name} did not start: {self._last_words()}")

    async def _keep(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            began = asyncio.get_running_loop().time()
            process = self._process
            assert process is not None  # noqa: S101 - for mypy: it was started
            assert process.stdout is not None  # noqa: S101 - for mypy: it is piped
            async for line in process.stdout:
                self._write(line)
            code = await process.wait()
            lived = asyncio.get_running_loop().time() - began
            pause = FIRST_PAUSE_SECONDS if lived > LONG_LIFE_SECONDS else pause
            await asyncio.sleep(pause)
            pause = min(pause * 2, LAST_PAUSE_SECONDS)
            try:
                await self._run_until_ready()
                self._said(f"{self.name} ended ({_how(code)}) and was started again")
            except ConfigError as error:
                self._said(f"{self.name} ended ({_how(code)}) and does not start again yet: {error}")

    def _write(self, line: bytes) -> None:
        with self._log_file.open("ab") as written:
            written.write(line)

    def _last_words(self) -> str:
        if not self._log_file.exists():
            return "it said nothing"
        lines = self._log_file.read_text("utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
