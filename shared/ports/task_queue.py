"""Work after the reply: tasks with deterministic names, delivered at least once."""

from datetime import timedelta
from typing import Protocol

from shared.contracts.tasks import TaskPayload


class TaskQueue(Protocol):
    """Accepts tasks; delivery is an HTTP POST to the function of the task's kind."""

    async def enqueue(self, payload: TaskPayload, *, delay: timedelta = timedelta(0)) -> bool:
        """Add the task `{conversation_id}-{kind}-{seq}`.

        Returns:
            False when a task of that name exists or was done before: the work is taken care of.

        Raises:
            StoreUnavailable: The queue does not answer; the watermark makes the work due again.
            ConfigError: It refuses our tasks, which only an operator can mend; the work is due again all the same.
        """
        ...
