"""How many requests a call took: the SDK retries on its own and does not say how often."""

from contextvars import ContextVar


class Sends:
    """The requests of one call, counted where they leave (http.py).

    The count is the context's: calls run in tasks of their own, or one after the other in one task.
    """

    def __init__(self) -> None:
        self.count = 0

    def begin(self) -> None:
        """Count from now on what this task, and tasks that it starts, send."""
        _current.set(self)


def note_send() -> None:
    """Count a request for the call that it belongs to."""
    current = _current.get()
    if current is not None:
        current.count += 1


_current: ContextVar[Sends | None] = ContextVar("gemini_sends", default=None)
