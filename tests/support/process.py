"""A child process whose first line says where it listens."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol, Self

from tests.support.overheard import SAID, LogSearch, Words
from tests.support.reaper import MARKS, start_reaper

ROOT = Path(__file__).resolve().parents[2]
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
READY_WITHIN_S = 90
STOPPED_WITHIN_S = 60
_OURS = re.compile(r"(CBOT_|GEMINI_|GOOGLE_|FIREBASE_|FIRESTORE_|K_)|PORT$|(http|https|all|no)_proxy$", re.IGNORECASE)


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment without anything that configures CBot, and `extra` over it.

    Bytecode is kept, whatever the habit here: a run starts dozens of servers, each a compiler of all sources otherwise.
    The process that runs in it ends with this one (tests/support/reaper.py).
    """
    kept = {name: value for name, value in os.environ.items() if not _OURS.match(name) and name != _NO_BYTECODE}
    return {**kept, MARKS: start_reaper(), "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", **extra}


class Running(Protocol):
    """What `ReadyProcess` asks of a process: what `subprocess.Popen` has."""

    @property
    def pid(self) -> int: ...

    @property
    def stdout(self) -> IO[str] | None: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, number: int, /) -> None: ...

    def kill(self) -> None: ...


class ReadyProcess:
    """`python -m <module> …`; its output is kept, its end is certain: leave the `with`, or call `end`.

    When it has ended, whatever way, its output is searched for what people said: an AssertionError names the line.

    Attributes:
        address: Where it listens, once it is ready.
        ready_line: The line that said so.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path, words: Words = SAID
    ) -> None:
        """Prepare; nothing runs before `start`. stderr goes to `log`, which must hold none of the `words`."""
        self._arguments = list(arguments)
        self._environment = clean_environment(environment)
        self._log = log
        self._process: Running | None = None
        self._pump: threading.Thread | None = None
        self._said: list[str] = []
        self._search = LogSearch(words)
        self.address = ""
        self.ready_line = ""

    @property
    def pid(self) -> int:
        """Of the running process."""
        return self._running().pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def stderr(self) -> str:
        """What it has said on stderr, earlier runs included."""
        return self._log.read_text("utf-8", errors="replace") if self._log.exists() else ""

    def logs(self) -> list[Path]:
        """Return the files that it writes to."""
        return [self._log]

    def start(self) -> Self:
        """Run it and wait until it is ready.

        Raises:
            AssertionError: It ended, or said nothing in time; what it said is in the message.
        """
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("a", encoding="utf-8") as log:
            self._process = self._launch(log)
        try:
            self.ready_line = self._first_line()
            found = re.search(r"http://[^\s/]+", self.ready_line)
            assert found, f"no address in {self.ready_line!r}\n{self.stderr[-4000:]}"
        except BaseException:
            self.end()
            raise
        self.address = found.group()
        return self

    def kill(self) -> None:
        """SIGKILL, and wait for the kernel to be done with it."""
        self._running().kill()
        self._reap()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code.

        Raises:
            AssertionError: It did not end in time; it is killed then.
        """
        process = self._running()
        process.send_signal(number)
        try:
            code = process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(
                f"no end within {STOPPED_WITHIN_S} s of {number.name}:\n{self.stderr[-4000:]}"
            ) from None
        self._reap()
        return code

    def end(self) -> None:
        """Make sure that it is gone; safe to repeat."""
        if self._process is not None:
            self._process.kill()
            self._reap()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.end()

    def _launch(self, log: IO[str]) -> Running:
        return subprocess.Popen(
            [sys.executable, *self._arguments],
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
        )

    def _running(self) -> Running:
        assert self._process is not None, "the process was not started"
        return self._process

    def _reap(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.wait()
        if self._pump is not None:
            self._pump.join()
        if process.stdout is not None:
            process.stdout.close()
        said, self._said = self._said, []
        self._search.hear(f"stdout of {' '.join(self._arguments)}", "".join(said))
        self._search.read(*self.logs())

    def _first_line(self) -> str:
        """Read the first line with a deadline, and go on reading, so that the pipe never fills."""
        process = self._running()
        assert process.stdout is not None
        lines: queue.Queue[str] = queue.Queue()
        self._pump = threading.Thread(target=_read, args=(process.stdout, lines, self._said), daemon=True)
        began = time.monotonic()
        self._pump.start()
        try:
            line = lines.get(timeout=READY_WITHIN_S)
        except queue.Empty:
            line = ""
        waited = time.monotonic() - began
        assert line, f"no ready line after {waited:.1f} s:\n{self.stderr[-4000:]}"
        return line.strip()


def _read(stream: IO[str], lines: "queue.Queue[str]", said: list[str]) -> None:
    for line in stream:
        said.append(line)
        lines.put(line)
    lines.put("")
