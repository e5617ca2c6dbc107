"""The messages that this instance answers or that wait for an answer here."""

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
    """A message that this instance answers or that waits here."""

    message: Incoming
    admitted: "asyncio.Future[None]"
    stream: EventStream = field(default_factory=EventStream)
    task: "asyncio.Task[None] | None" = None

    def refuse(self, refusal: BaseException) -> None:
        """Raise the refusal for every caller."""
        self.admitted.set_exception(refusal)
        self.admitted.exception()  # retrieved, so that asyncio does not warn if the caller is gone


def under_way(running: Mapping[Key, Running]) -> list["asyncio.Task[None]"]:
    return [one.task for one in running.values() if one.task is not None and not one.task.done()]


async def until_ended(running: Mapping[Key, Running], seconds: float) -> None:
    """Wait until no task runs, including tasks that start during the wait, for at most `seconds`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while tasks := under_way(running):
                await asyncio.wait(tasks)
