"""What a `ServiceWorld` stands on besides store and model."""

import logging
from itertools import count

from shared.contracts.tasks import TaskPayload
from shared.domain.errors import StoreUnavailable
from shared.domain.ids import UserId
from shared.observability.log_event import entry_of
from shared.ports.identity import Caller
from tests.fakes.memory_queue import MemoryTaskQueue


class Ids:
    """`IdSource` that counts."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new_id(self) -> str:
        return f"id{next(self._numbers)}"


class OneUser:
    """`Identity`: the token is the user's id."""

    async def verify(self, token: str) -> Caller:
        return Caller(user_id=UserId(token))


class FlakyQueue(MemoryTaskQueue):
    """Refuses all tasks while `away`."""

    away = False

    async def enqueue(self, payload: TaskPayload, **more: object) -> bool:
        if self.away:
            raise StoreUnavailable("the queue is away")
        return await super().enqueue(payload)


class Breakages(logging.Handler):
    """Collects what happened that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        entry = entry_of(record)
        if entry is not None and entry.event.broke:
            self.found.append(entry.text + entry.trace)
