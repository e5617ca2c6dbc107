"""Ports of time and identifiers, so that tests can set them."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time of day and a stopwatch."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds on a monotonic clock; only differences are meaningful."""
        ...


class IdSource(Protocol):
    """Unguessable identifiers."""

    def new_id(self) -> str:
        """A new identifier, URL-safe, at most 40 characters."""
        ...
