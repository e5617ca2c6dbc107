"""The messages that this instance is answering or waiting for."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from shared.domain.ids import ConversationId, MessageId, UserId
from shared.engine.admission import Incoming
from shared.engine.event_stream import EventStream

Key = tuple[UserId, ConversationId, MessageId]


@dataclass
class Running:
    """A message that this instance is answering or waiting for."""

    message: Incoming
    admitted: "asyncio.Future[None]"
    stream: EventStream = field(default_factory=EventStream)
    task: "asyncio.Task[None] | None" = None

    def refuse(self, refusal: BaseException) -> None:
        """Tell every caller why the message was not taken."""
        self.admitted.set_exception(refusal)
        self.admitted.exception()  # seen: a caller that went away leaves no warning behind


def under_way(running: Mapping[Key, Running]) -> list["asyncio.Task[None]"]:
    """Return the tasks that have not ended."""
    return [one.task for one in running.values() if one.task is not None and not one.task.done()]


async def until_ended(running: Mapping[Key, Running], seconds: float) -> None:
    """Wait until nothing is under way, what begins meanwhile included, for at most so long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while tasks := under_way(running):
                await asyncio.wait(tasks)
