"""Child processes that are started, kept up and ended together; none outlives the process that started them."""

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

READY_SECONDS = 60.0
END_SECONDS = 25.0
"""Longer than a server gives the answers under way (`local.server.GRACE_SECONDS`)."""
FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.1, 5.0
"""Between the end of a child and its next start; doubling from first to last, and small again after a long life."""
LONG_LIFE_SECONDS = 30.0


@dataclass(frozen=True)
class Command:
    """What to run.

    Attributes:
        environment: The whole of it.
        ready: How the line of its output begins that says that the child is ready.
        ready_s: Seconds until then.
        end_s: Seconds to end in when it is asked to, before it is killed.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    ready: str
    ready_s: float = READY_SECONDS
    end_s: float = END_SECONDS


class Child:
    """One process, started again whenever it ends by itself."""

    def __init__(self, command: Command, log_file: Path, said: Callable[[str], None]) -> None:
        """Prepare.

        Args:
            command: What to run.
            log_file: What the process writes, every run of it.
            said: Told in one line when the process ended and was started again.
        """
        self.name = command.name
        self._command = command
        self._log_file = log_file
        self._said = said
        self._process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Of the process as it runs now."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def start(self) -> None:
        """Run it, wait until it is ready, and keep it up from then on.

        Raises:
            ConfigError: It ended or was not ready in time; the message has its last words.
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
            # A session of its own: Ctrl-C in the terminal goes to the parent alone, which ends all in order.
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
        lines = self._log_file.read_text("utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
