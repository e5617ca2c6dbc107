"""`TaskQueue` in memory: it keeps what was asked for, and delivers nothing."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta

from shared.contracts.tasks import TaskPayload


@dataclass(frozen=True)
class RecordedTask:
    payload: TaskPayload
    delay: timedelta


class MemoryTaskQueue:
    """Records tasks and refuses used names."""

    def __init__(self) -> None:
        self.tasks: list[RecordedTask] = []
        self._names: set[str] = set()

    async def enqueue(self, payload: TaskPayload, *, delay: timedelta = timedelta(0)) -> bool:
        await asyncio.sleep(0)
        if payload.name in self._names:
            return False
        self._names.add(payload.name)
        self.tasks.append(RecordedTask(payload, delay))
        return True

    @property
    def payloads(self) -> list[TaskPayload]:
        return [task.payload for task in self.tasks]

    def take(self) -> list[TaskPayload]:
        taken, self.tasks = self.payloads, []
        return taken
