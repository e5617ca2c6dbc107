"""What the tests of the engine arrange again and again."""

import asyncio
from collections.abc import AsyncIterator

from shared.contracts.events import Done, Failed
from shared.engine.event_stream import EventStream
from shared.engine.turns import Turns
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import ScreenedMessage
from tests.fakes.engine import incoming

PRESSING = ScreenedMessage(crisis=Finding(outcome=CrisisOutcome.CRISIS, rule_ids=("r",)))
"""What is found in a message that the protocol answers."""


class FailingStore:
    """A store of which one method raises these errors, one after another, before it works.

    Attributes:
        errors: Those that are still to come.
        calls: How often the method was called.
    """

    def __init__(self, store: object, method: str, *errors: Exception) -> None:
        self._store = store
        self.errors = list(errors)
        self.calls = 0

        async def call(*args: object, **more: object) -> object:
            self.calls += 1
            if self.errors:
                raise self.errors.pop(0)
            return await getattr(store, method)(*args, **more)

        setattr(self, method, call)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


async def ended(stream: EventStream) -> Done | Failed:
    async with asyncio.timeout(10):
        return await stream.end()


async def answered(turns: Turns, *message: str) -> Done | Failed:
    """Send a message and wait for its end."""
    return await ended(await turns.submit(incoming(*message)))


async def heard(stream: EventStream, behind: int = -1) -> AsyncIterator[list[object]]:
    """Return every event of a stream with its number."""
    async with asyncio.timeout(10):
        return [entry async for entry in stream.listen(behind)]
