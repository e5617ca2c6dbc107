"""`python -m tests.support.forking <fd>`: imports and reads what all servers need, once, and forks one a request.

A request is a packet on the socket `fd`: JSON (`module`, `arguments`, `environment`) with three descriptors, stdout and
stderr of the new process and a socket on which its id is told at once and its exit code in the end. Between this
process and the new one is a keeper, which waits for its end; with the one that asks, all of them end.
"""

import gc
import json
import os
import runpy
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

from google import genai as _genai  # noqa: F401 - the product imports it late

import local.gemini.server
import local.server  # noqa: F401
import shared.adapters.firestore.database
import shared.adapters.gemini.http
import shared.observability.telemetry  # noqa: F401
from functions.chat.parts import preload
from local.emulators.orphans import end_with
from shared.content.catalogue import content


def asked(requests: socket.socket) -> dict[str, Any] | None:
    """Return each request in a process made for it, and None in this one once the socket is closed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, 1 << 18, 3)
        if not request:
            return None
        assert threading.active_count() == 1, "of the threads that run here a forked process would have but one"
        forker = os.getpid()
        if os.fork() == 0:
            end_with(forker)
            requests.close()
            if _kept(*descriptors):
                os._exit(0)
            return dict(json.loads(request))
        for descriptor in descriptors:
            os.close(descriptor)


def _kept(stdout: int, stderr: int, watcher: int) -> bool:
    """Fork, and wait for the new process; False in that one."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    keeper, pid = os.getpid(), os.fork()
    if pid == 0:
        end_with(keeper)
        os.dup2(stdout, sys.stdout.fileno())
        os.dup2(stderr, sys.stderr.fileno())
        os.close(watcher)
    os.close(stdout)
    os.close(stderr)
    if pid:
        with socket.socket(fileno=watcher) as told, suppress(BrokenPipeError):
            told.sendall(b"%d" % pid)
            told.sendall(b"%d" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return pid > 0


def main() -> None:
    """Serve; in a forked process, run what was asked for as `python -m` does."""
    preload(content())
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        request = asked(requests)
    if request is None:
        return
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[1:] = request["arguments"]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
