"""No child outlives a parent that was killed and could not end it."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def ending_with_parent() -> Callable[[], None] | None:
    """Return a `preexec_fn` that has the kernel end the child with its parent (prctl(2), PR_SET_PDEATHSIG).

    The signal comes when the thread ends that started the child: start it from the main thread. Only Linux has it;
    elsewhere there is nothing to run.
    """
    if sys.platform != "linux":
        return None
    libc, parent = ctypes.CDLL(None), os.getpid()

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it was killed before the call
            os._exit(1)

    return prepare
