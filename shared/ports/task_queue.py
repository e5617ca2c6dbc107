"""Port of the task queue: tasks with deterministic names, delivered at least once."""

from datetime import timedelta
from typing import Protocol

from shared.contracts.tasks import TaskPayload


class TaskQueue(Protocol):
    """Accepts tasks and delivers them by HTTP POST to the function of their kind."""

    async def enqueue(self, payload: TaskPayload, *, delay: timedelta = timedelta(0)) -> bool:
        """Add the task `{conversation_id}-{kind}-{seq}`.

        Returns:
            False if a task of that name exists or was done before.

        Raises:
            StoreUnavailable: The queue does not answer; the watermark makes the work due again.
            ConfigError: The queue refuses our tasks until an operator changes the configuration; the work is due again.
        """
        ...
