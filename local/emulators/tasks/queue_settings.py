"""Settings of a queue: Cloud Tasks' defaults, and the delivery policy they amount to.

Sources: https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`RateLimits`, `RetryConfig`), and the
defaults of https://cloud.google.com/sdk/gcloud/reference/tasks/queues/create.
"""

from dataclasses import dataclass
from math import ceil

from local.embedded.delivery import DeliveryPolicy
from local.emulators.tasks.dispatch import Disorder


@dataclass(frozen=True)
class QueueSettings:
    """How a queue dispatches; what is left out is Cloud Tasks' default.

    Attributes:
        max_attempts: -1 for no limit.
        rate: Dispatches a second.
        concurrency: Dispatches at a time.
    """

    max_attempts: int = 100
    min_backoff_s: float = 0.1
    max_backoff_s: float = 3600.0
    max_doublings: int = 16
    rate: float = 500.0
    concurrency: int = 1000

    def policy(self, disorder: Disorder) -> DeliveryPolicy:
        """Return how the queue's tasks are delivered."""
        return DeliveryPolicy(
            max_attempts=self.max_attempts,
            first_delay_s=self.min_backoff_s,
            max_delay_s=self.max_backoff_s,
            max_doublings=self.max_doublings,
            rate=self.rate,
            burst=max(1, ceil(self.rate)),
            concurrency=self.concurrency,
            copies=disorder.copies,
            newest_first=disorder.newest_first,
        )
