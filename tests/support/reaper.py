"""Kills every process that a run of tests started, once the run has ended, even by SIGKILL.

`start_reaper` puts a mark into this process's environment, which all children inherit, and starts
`python reaper.py <mark>`, which waits for the end of its stdin. The kernel closes that pipe when this process ends,
whatever ends it; then the reaper kills each process that bears the mark, and each child of one. Unlike PR_SET_PDEATHSIG
(local/emulators/orphans.py) this reaches grandchildren, stopped processes, and children of a thread that has ended.
"""

import atexit
import os
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from functools import cache

import psutil

MARKS = "CBOT_TEST_RUN"
"""The variable that holds the marks of a process: of each run that it belongs to, outermost first."""
_REAPED_WITHIN_S = 30
_PAUSE_S = 0.05


@cache
def start_reaper() -> str:
    """Start this process's reaper, once; return the value of `MARKS` for an environment made from nothing."""
    outer = os.environ.get(MARKS)
    mark = uuid.uuid4().hex
    reaper = subprocess.Popen(
        [sys.executable, "-I", __file__, mark],
        env={name: value for name, value in os.environ.items() if name != MARKS},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in the terminal goes to the run alone
    )
    atexit.register(_end, reaper)
    os.environ[MARKS] = f"{outer}/{mark}" if outer else mark
    return os.environ[MARKS]


def _end(reaper: "subprocess.Popen[bytes]") -> None:
    """Let it kill what an orderly run has left, and wait for it."""
    reaper.communicate(timeout=_REAPED_WITHIN_S)


def _started_under(mark: str) -> set[psutil.Process]:
    found: set[psutil.Process] = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if mark in process.environ().get(MARKS, "").split("/"):
                # Its children too: Chromium writes the titles of its processes over their environment.
                found.update([process, *process.children(recursive=True)])
    return {process for process in found if _runs(process)}


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _reap(mark: str) -> None:
    """Kill until nothing is left: a process may have forked while the others were looked for."""
    deadline = time.monotonic() + _REAPED_WITHIN_S
    while (left := _started_under(mark)) and time.monotonic() < deadline:
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    sys.stdin.read()
    _reap(sys.argv[1])
