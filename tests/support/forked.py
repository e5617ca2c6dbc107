"""Servers forked from one process that has imported all libraries: a start takes a tenth of the time.

They are processes like any other, with an id, an environment, output and an end of their own; only the
interpreter's start and the imports are shared. Tests of the start use a `LocalServer` or `Simulator`. Where processes
cannot exchange packets (macOS), everything is started as usual.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import IO, Any

from tests.support.local_server import LocalServer
from tests.support.process import ROOT, ReadyProcess, clean_environment
from tests.support.simulator import Simulator

NUMBER_BYTES = 32
ENDS_WITHIN_S = 60
_FORKS = sys.platform == "linux"
_ONE_AT_A_TIME = threading.Lock()


class Forked:
    """A forked process, as `subprocess.Popen` shows one; `watch` receives its id and its exit code."""

    def __init__(self, watch: socket.socket, stdout: IO[str]) -> None:
        told = watch.recv(NUMBER_BYTES)
        assert told, "the process that forks has ended: what it said is above"
        self.pid = int(told)
        self.stdout = stdout
        self.returncode: int | None = None
        self._watch = watch

    def poll(self) -> int | None:
        return self.returncode if self._ended(0) else None

    def wait(self, timeout: float | None = None) -> int:
        if not self._ended(timeout) or self.returncode is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> bool:
        if self.returncode is None and select.select([self._watch], [], [], timeout)[0]:
            told = self._watch.recv(NUMBER_BYTES)
            self.returncode = int(told) if told else -signal.SIGKILL  # with the one that forked it
            self._watch.close()
        return self.returncode is not None


@cache
def _forker() -> socket.socket:
    """Start the process that forks, which takes requests while it still imports, and ends with this one."""
    requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.support.forking", str(theirs.fileno())]
    with theirs:
        process = subprocess.Popen(
            command, cwd=ROOT, env=clean_environment({}), stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
    atexit.register(lambda: (requests.close(), process.wait(ENDS_WITHIN_S)))
    return requests


def _fork(arguments: Sequence[str], environment: Mapping[str, str], stderr: IO[str]) -> Forked:
    """Run `python <arguments>`, which begin with `-m <module>`."""
    _, module, *rest = arguments
    request = json.dumps({"module": module, "arguments": rest, "environment": dict(environment)}).encode()
    read, write = os.pipe()
    watch, watcher = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with watcher, os.fdopen(write, "wb") as stdout:
        with _ONE_AT_A_TIME:
            requests = _forker()
        socket.send_fds(requests, [request], [stdout.fileno(), stderr.fileno(), watcher.fileno()])
    return Forked(watch, os.fdopen(read, encoding="utf-8"))


def run_forked(
    arguments: Sequence[str], environment: Mapping[str, str], within_s: float
) -> "subprocess.CompletedProcess[str]":
    """Run `python <arguments>` to its end as `subprocess.run` does; what takes too long is killed."""
    if not _FORKS:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=within_s, check=False
        )
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr:
        process = _fork(arguments, environment, stderr)
        overdue = threading.Timer(within_s, process.kill)
        overdue.start()
        with process.stdout:
            said = process.stdout.read()
        code = process.wait()
        overdue.cancel()
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, code, said, stderr.read())


class _FromFork(ReadyProcess):
    def _launch(self, log: IO[str]) -> Any:
        return _fork(self._arguments, self._environment, log) if _FORKS else super()._launch(log)


class ForkedServer(_FromFork, LocalServer):
    """A `LocalServer` that starts at once."""


class ForkedSimulator(_FromFork, Simulator):
    """A `Simulator` that starts at once."""
