"""A child process whose first line says where it listens."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Self

from local.loopback import NO_AUTHORITIES
from tests.support.overheard import SAID, LogSearch, Words
from tests.support.reaper import MARKS, start_reaper

LOOPBACK: dict[str, Any] = {"trust_env": False, "verify": NO_AUTHORITIES}
"""For an HTTP client of this machine's own servers."""
ROOT = Path(__file__).resolve().parents[2]
STORIES = ROOT / "tests" / "fixtures" / "stories"
"""What the tests' own messages mean to the simulator, beside the product's stories."""
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
READY_WITHIN_S = 400
"""Longer than a server itself waits for its parts, so that a failure is told in its own words."""
STOPPED_WITHIN_S = 60
_OURS = re.compile(r"(CBOT_|GEMINI_|GOOGLE_|FIREBASE_|FIRESTORE_|K_)|PORT$|(http|https|all|no)_proxy$", re.IGNORECASE)


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment without anything that configures CBot, and `extra` over it.

    Bytecode is always written: otherwise each of the dozens of servers of a run would compile all sources.
    The process that runs in it ends with this one (tests/support/reaper.py).
    """
    kept = {name: value for name, value in os.environ.items() if not _OURS.match(name) and name != _NO_BYTECODE}
    ours = {MARKS: start_reaper(), "CBOT_SIMULATOR_STORIES": str(STORIES)}
    return {**kept, **ours, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", **extra}


def run_python(
    *arguments: str, environment: Mapping[str, str] | None = None, within_s: float = 120
) -> "subprocess.CompletedProcess[str]":
    """Run `python <arguments>` from the root to its end, with any exit code."""
    command, clean = [sys.executable, *arguments], clean_environment(environment or {})
    options = {"capture_output": True, "text": True, "timeout": within_s}
    return subprocess.run(command, cwd=ROOT, env=clean, check=False, **options)


class ReadyProcess:
    """`python -m <module> …`; its output is kept. Leaving the `with`, or `end`, ends it for certain.

    After its end its output is searched for text of users: an AssertionError names the line.

    Attributes:
        address: Where it listens, once it is ready.
        ready_line: The line that said so.
    """

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: Path, words: Words = SAID
    ) -> None:
        self._arguments = list(arguments)
        self._environment = clean_environment(environment)
        self._log = log
        self._process: Any = None
        self._said: list[str] = []
        self._search = LogSearch(words)
        self.address = ""
        self.ready_line = ""

    @property
    def pid(self) -> int:
        return int(self._process.pid)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def stderr(self) -> str:
        """Its output on stderr, earlier runs included."""
        return self._log.read_text("utf-8", errors="replace") if self._log.exists() else ""

    def logs(self) -> list[Path]:
        return [self._log]

    def start(self) -> Self:
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("a", encoding="utf-8") as log:
            self._process = self._launch(log)
        ready = threading.Event()
        self._pump = threading.Thread(target=self._read, args=(self._process.stdout, ready), daemon=True)
        self._pump.start()
        try:
            ready.wait(READY_WITHIN_S)
            self.ready_line = "".join(self._said[:1]).strip()
            found = re.search(r"http://[^\s/]+", self.ready_line)
            assert found, f"no ready line with an address: {self.ready_line!r}\n{self.stderr[-4000:]}"
        except BaseException:
            self.end()
            raise
        self.address = found.group()
        return self

    def kill(self) -> None:
        self._process.kill()
        self._reap()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code; what does not end in time is killed, and the test fails."""
        self._process.send_signal(number)
        try:
            code = int(self._process.wait(STOPPED_WITHIN_S))
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{number.name} did not end it in time:\n{self.stderr[-4000:]}") from None
        self._reap()
        return code

    def end(self) -> None:
        """Make sure that it is gone; safe to repeat."""
        if self._process is not None:
            self.kill()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.end()

    def _launch(self, log: IO[str]) -> Any:
        command = [sys.executable, *self._arguments]
        return subprocess.Popen(
            command, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8"
        )

    def _read(self, stdout: IO[str], ready: threading.Event) -> None:
        """Read to the end, so that the pipe never fills."""
        for line in stdout:
            self._said.append(line)
            ready.set()
        ready.set()

    def _reap(self) -> None:
        process, self._process = self._process, None
        process.wait()
        self._pump.join()
        process.stdout.close()
        said, self._said = self._said, []
        self._search.hear(f"stdout of {' '.join(self._arguments)}", "".join(said))
        self._search.read(*self.logs())
