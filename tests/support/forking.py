"""`python -m tests.support.forking <fd>`: imports and reads what all servers need, once, and forks one a request.

A request is a packet on the socket `fd`: JSON (`module`, `arguments`, `environment`) with three descriptors, stdout and
stderr of the new process and a socket on which its id is told at once and its exit code in the end. When nobody holds
the other end of `fd` any more, all of them are ended.
"""

import gc
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

from google import genai as _genai  # noqa: F401 - who needs it imports it late

import local.gemini.server
import local.server  # noqa: F401
import shared.adapters.firestore.database
import shared.adapters.gemini.http
import shared.observability.telemetry  # noqa: F401
from functions.chat.flows.counseling.preload import preload
from local.emulators.orphans import end_with
from shared.content.catalogue import content

REQUEST_BYTES = 1 << 18
DESCRIPTORS = 3


class Forker:
    """Forks at each request."""

    def __init__(self, requests: socket.socket) -> None:
        """Take requests from here."""
        self._requests = requests
        self._watchers: dict[int, socket.socket] = {}
        self._woken, self._waker = socket.socketpair()
        self._waker.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker.fileno())

    def serve(self) -> dict[str, Any] | None:
        """Return the request in a process that it has made, and None in this one when nobody asks any more."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._requests, selectors.EVENT_READ)
            waiting.register(self._woken, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in waiting.select()}
                if self._woken in ready:
                    self._woken.recv(REQUEST_BYTES)
                    self._tell_ends()
                if self._requests in ready:
                    request, descriptors, _, _ = socket.recv_fds(self._requests, REQUEST_BYTES, DESCRIPTORS)
                    if not request:
                        return self._end_all()
                    if self._fork(*descriptors) == 0:
                        return dict(json.loads(request))

    def _fork(self, stdout: int, stderr: int, watcher: int) -> int:
        assert threading.active_count() == 1, "of the threads that run here a forked process would have but one"
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            if sys.platform == "linux":
                end_with(parent)
            self._leave()
            os.dup2(stdout, sys.stdout.fileno())
            os.dup2(stderr, sys.stderr.fileno())
            os.close(watcher)
        else:
            self._watchers[pid] = socket.socket(fileno=watcher)
            self._tell(self._watchers[pid], pid)
        os.close(stdout)
        os.close(stderr)
        return pid

    def _leave(self) -> None:
        """Take nothing along into the new process."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in (self._requests, self._woken, self._waker, *self._watchers.values()):
            end.close()

    def _tell_ends(self) -> None:
        while self._watchers:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            with self._watchers.pop(pid) as watcher:
                self._tell(watcher, os.waitstatus_to_exitcode(status))

    def _tell(self, watcher: socket.socket, number: int) -> None:
        with suppress(BrokenPipeError):
            watcher.sendall(b"%d\n" % number)

    def _end_all(self) -> None:
        for pid in self._watchers:
            os.kill(pid, signal.SIGKILL)


def main() -> None:
    """Serve; in a forked process, run what was asked for as `python -m` does."""
    preload(content())
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        request = Forker(requests).serve()
    if request is None:
        return
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[1:] = request["arguments"]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
