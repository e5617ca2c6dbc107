"""What a process does between SIGTERM and its end.

Cloud Run sends SIGTERM to the first process, gunicorn's master, which passes it on to its worker; ten seconds later it
kills: https://cloud.google.com/run/docs/container-contract#instance-shutdown. uvicorn's handler closes the port, waits
for the connections, and then raises the signal anew, which ends the process at once: tasks that run without a
connection, and leases, get no turn after that. So the work is let end *before* uvicorn hears of the signal. The port
stays open meanwhile, and who comes is told to go elsewhere.
"""

import asyncio
import logging
import signal
import threading
from collections.abc import Awaitable, Callable
from types import FrameType

from shared.observability.events import LogEvent
from shared.observability.log_event import log_event

log = logging.getLogger(__name__)

GRACE_SECONDS = 7.5
"""For work under way: Cloud Run's ten seconds, less what giving up the rest and ending the server take."""
BREAK_OFF_SECONDS = 0.5
"""For jobs that were broken off to end in order."""
FLUSH_SECONDS = 1.0
"""For an event stream whose last event is written but not yet sent when the server ends."""

Drain = Callable[[], Awaitable[None]]
"""Takes no new work, lets the rest end, gives up what does not; it bounds its time itself."""
Handler = Callable[[int, FrameType | None], object]


def drain_before_exit(drain: Drain) -> None:
    """Drain at SIGTERM or SIGINT, then let uvicorn end the server; a second signal goes straight to uvicorn.

    For the event loop's thread, once the server listens for signals. Without a uvicorn server that does, as in tests,
    nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        handler = signal.getsignal(number)
        if callable(handler) and hasattr(getattr(handler, "__self__", None), "should_exit"):
            signal.signal(number, _Leaving(drain, handler, asyncio.get_running_loop()))


class _Leaving:
    """A signal handler in front of uvicorn's."""

    def __init__(self, drain: Drain, handler: Handler, loop: asyncio.AbstractEventLoop) -> None:
        self._drain = drain
        self._handler = handler
        self._loop = loop
        self._begun = False
        self._draining: asyncio.Task[None] | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._begun:
            self._handler(number, frame)
            return
        self._begun = True
        self._loop.call_soon_threadsafe(self._begin, number)

    def _begin(self, number: int) -> None:
        self._draining = self._loop.create_task(self._leave(number))

    async def _leave(self, number: int) -> None:
        log_event(log, LogEvent.LEAVING)
        try:
            await self._drain()
        finally:
            self._handler(number, None)
