"""A turn's events in this process, kept from the start so that a listener may join late or reconnect."""

import asyncio
from collections.abc import AsyncGenerator

from shared.contracts.events import Done, Failed, StreamEvent


class EventStream:
    """Append-only events of one turn for any number of listeners.

    Attributes:
        seq: The turn's number once known; part of the SSE ids `{seq}.{n}`.
    """

    def __init__(self) -> None:
        self.seq: int | None = None
        self._events: list[StreamEvent] = []
        self._grown = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether the last event was emitted."""
        return bool(self._events) and isinstance(self._events[-1], Done | Failed)

    @property
    def ending(self) -> Done | Failed | None:
        """The last event, once emitted."""
        last = self._events[-1] if self._events else None
        return last if isinstance(last, Done | Failed) else None

    def emit(self, event: StreamEvent) -> None:
        """Append an event; ignored after the last one."""
        if self.closed:
            return
        self._events.append(event)
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()

    async def listen(self, behind: int = -1) -> AsyncGenerator[tuple[int, StreamEvent], None]:
        """Yield (n, event) for every event with a number above `behind`, up to the last one."""
        number = behind + 1
        while True:
            grown = self._grown
            while number < len(self._events):
                event = self._events[number]
                yield number, event
                number += 1
                if isinstance(event, Done | Failed):
                    return
            if self.closed:
                return
            await grown.wait()

    async def end(self) -> Done | Failed:
        """Wait for the last event."""
        while (ending := self.ending) is None:
            await self._grown.wait()
        return ending
