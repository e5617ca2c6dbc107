"""Counts the requests of a call, since the SDK does not report its retries."""

from contextvars import ContextVar


class Sends:
    """The requests of one call, counted when they are sent (http.py).

    The count belongs to the context, since calls run in their own tasks or one after another in one task.
    """

    def __init__(self) -> None:
        self.count = 0

    def begin(self) -> None:
        """Count the requests that this task and its child tasks send from now on."""
        _current.set(self)


def note_send() -> None:
    """Count a request for the current call."""
    current = _current.get()
    if current is not None:
        current.count += 1


_current: ContextVar[Sends | None] = ContextVar("gemini_sends", default=None)
