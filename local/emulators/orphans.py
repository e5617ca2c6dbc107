"""Ends child processes whose parent was killed.

`python orphans.py <parent's id> <command>…` asks the kernel to end this process with its parent, then executes the
command. It is a separate program instead of a `preexec_fn`: Python code between fork and exec is unsafe in a process
with threads (docs.python.org, subprocess), and gRPC's threads abort that child.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1


def ending_with_parent(command: Sequence[str]) -> list[str]:
    """Return the command that runs `command` and ends with this process (prctl(2), PR_SET_PDEATHSIG).

    The signal is sent when the starting thread ends, so start the child from the main thread. On systems other than
    Linux the command is returned unchanged.
    """
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def end_with(parent: int) -> None:
    """Let the kernel end this process with its parent; exit now if the parent has already ended."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    try:
        os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - no shell is wanted
    except OSError as error:
        sys.exit(f"{sys.argv[2]}: {error.strerror}")
