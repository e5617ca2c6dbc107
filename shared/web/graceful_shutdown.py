"""Handles a process's end between SIGTERM and exit.

Cloud Run sends SIGTERM to gunicorn's master, which passes it to its worker, and SIGKILL ten seconds later:
https://cloud.google.com/run/docs/container-contract#instance-shutdown. uvicorn's handler closes the port, waits for
connections and raises the signal again, which ends the process without time for tasks or leases. So work is drained
*before* uvicorn handles the signal. The port stays open until then, and new requests are refused with a retry.
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
"""For running work, seconds: Cloud Run's ten, less the time to cancel the rest and end the server."""
BREAK_OFF_SECONDS = 0.5
"""For cancelled jobs to end in order, seconds."""
FLUSH_SECONDS = 1.0
"""For an event stream whose last event is written but not sent when the server ends, seconds."""

Drain = Callable[[], Awaitable[None]]
"""Stops new work, waits for running work and cancels the rest; limits its own time."""
Handler = Callable[[int, FrameType | None], object]


def drain_before_exit(drain: Drain) -> None:
    """Drain at SIGTERM or SIGINT, then let uvicorn end the server; a second signal goes straight to uvicorn.

    Call it in the main thread once the server handles signals. Without such a uvicorn server, as in tests, it does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        handler = signal.getsignal(number)
        if callable(handler) and hasattr(getattr(handler, "__self__", None), "should_exit"):
            signal.signal(number, _DrainingSignalHandler(drain, handler, asyncio.get_running_loop()))


class _DrainingSignalHandler:
    """A signal handler that precedes uvicorn's."""

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
