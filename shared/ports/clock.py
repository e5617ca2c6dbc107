"""Time and identifiers as parameters, so that tests can set them."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time of day, and a stopwatch."""

    def now(self) -> datetime:
        """The present time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean something."""
        ...


class IdSource(Protocol):
    """Identifiers that nobody can guess."""

    def new_id(self) -> str:
        """A fresh identifier, URL-safe, at most 40 characters."""
        ...
