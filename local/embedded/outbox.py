"""Events of created documents, written in the transaction that creates them."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import aiosqlite

from local.embedded.values import timestamp
from shared.ports.clock import Clock

_ADD = "INSERT INTO outbox (id, payload, due_at) VALUES (?, ?, ?)"


@dataclass(frozen=True)
class CreatedEvent:
    """A document was created.

    Attributes:
        trigger_id: The trigger whose pattern matches the path.
        time: RFC 3339, UTC.
    """

    trigger_id: str
    path: str
    time: str

    def to_json(self) -> str:
        return json.dumps({"trigger_id": self.trigger_id, "path": self.path, "time": self.time})

    @classmethod
    def from_json(cls, text: str) -> "CreatedEvent":
        return cls(**json.loads(text))


class Outbox:
    """Stores the events of created documents and notifies their deliverers."""

    def __init__(self, patterns: Mapping[str, str], clock: Clock) -> None:
        """Register triggers.

        Args:
            patterns: Document paths by trigger id; `{name}` stands for one segment.
            clock: Dates the events.
        """
        self._patterns = {trigger_id: _compiled(pattern) for trigger_id, pattern in patterns.items()}
        self._clock = clock
        self._listeners: list[Callable[[], None]] = []

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Call `listener` after each commit with an event."""
        self._listeners.append(listener)

    async def add(self, connection: aiosqlite.Connection, created: Mapping[str, int]) -> int:
        """Write the events of new documents (path → version) in the caller's transaction; return their number."""
        time = timestamp(self._clock.now())
        events = [
            (f"{path}@{version}:{trigger_id}", CreatedEvent(trigger_id, path, time).to_json(), time)
            for path, version in created.items()
            for trigger_id, pattern in self._patterns.items()
            if pattern.fullmatch(path)
        ]
        if events:
            await connection.executemany(_ADD, events)
        return len(events)

    def notify(self) -> None:
        """Notify the listeners; call it after the commit."""
        for listener in self._listeners:
            listener()


def _compiled(pattern: str) -> re.Pattern[str]:
    segments = pattern.split("/")
    return re.compile("/".join("[^/]+" if _is_wildcard(part) else re.escape(part) for part in segments))


def _is_wildcard(segment: str) -> bool:
    return segment.startswith("{") and segment.endswith("}")
