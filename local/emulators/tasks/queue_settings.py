"""Settings of a queue: Cloud Tasks' defaults and limits, and the resulting delivery policy.

Sources: https://cloud.google.com/tasks/docs/reference/rpc/google.cloud.tasks.v2 (`RateLimits`, `RetryConfig`), and the
defaults of https://cloud.google.com/sdk/gcloud/reference/tasks/queues/create. The reference truncates durations to
whole seconds although the default of `min_backoff` is 0.1 s; here they are kept as given.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from google.cloud.tasks_v2.types import Queue, RateLimits, RetryConfig

from local.embedded.delivery import DeliveryPolicy
from local.emulators.tasks.problems import invalid, not_emulated

MAX_RATE = 500.0
MAX_CONCURRENCY = 5000
_DOUBLINGS = "retry_config.max_doublings"


@dataclass(frozen=True)
class QueueSettings:
    """Settings of a queue, with Cloud Tasks' defaults.

    Attributes:
        max_attempts: -1 for no limit.
        max_retry_s: Seconds after the first attempt before which a task is not given up; 0 for no such limit.
        rate: Dispatches per second.
        concurrency: Parallel dispatches.
    """

    max_attempts: int = 100
    max_retry_s: float = 0.0
    min_backoff_s: float = 0.1
    max_backoff_s: float = 3600.0
    max_doublings: int = 16
    rate: float = 500.0
    concurrency: int = 1000

    def message(self, name: str) -> Queue:
        """Return the settings as a queue of that name."""
        retry = RetryConfig(
            max_attempts=self.max_attempts,
            max_retry_duration=timedelta(seconds=self.max_retry_s),
            min_backoff=timedelta(seconds=self.min_backoff_s),
            max_backoff=timedelta(seconds=self.max_backoff_s),
            max_doublings=self.max_doublings,
        )
        rates = RateLimits(max_dispatches_per_second=self.rate, max_concurrent_dispatches=self.concurrency)
        return Queue(name=name, retry_config=retry, rate_limits=rates)


_DEFAULTS = QueueSettings()


def completed(queue: Queue, given: Collection[str] = ()) -> Queue:
    """Return the queue with defaults for missing settings.

    Args:
        queue: Name and settings.
        given: Paths of an update mask, in which zero doublings are a value.

    Raises:
        Problem: A setting is out of bounds, or not emulated.
    """
    _check_emulated(queue)
    retry, rates, usual = Queue.pb(queue).retry_config, Queue.pb(queue).rate_limits, Queue.pb(_DEFAULTS.message(""))
    rates.max_dispatches_per_second = rates.max_dispatches_per_second or _DEFAULTS.rate
    rates.max_concurrent_dispatches = rates.max_concurrent_dispatches or _DEFAULTS.concurrency
    rates.max_burst_size = max(1, ceil(min(rates.max_dispatches_per_second, MAX_RATE)))
    retry.max_attempts = retry.max_attempts or _DEFAULTS.max_attempts
    if not retry.max_doublings and _DOUBLINGS not in given:
        retry.max_doublings = _DEFAULTS.max_doublings
    for field in ("min_backoff", "max_backoff", "max_retry_duration"):
        if not retry.HasField(field):
            getattr(retry, field).CopyFrom(getattr(usual.retry_config, field))
    _check_bounds(queue)
    return queue


def policy_of(queue: Queue, copies: int, *, newest_first: bool) -> DeliveryPolicy:
    """Return the delivery policy of a queue.

    Args:
        queue: A `completed` queue.
        copies: Requests per dispatch.
        newest_first: Reverse the order.
    """
    retry, rates = Queue.pb(queue).retry_config, Queue.pb(queue).rate_limits
    return DeliveryPolicy(
        max_attempts=retry.max_attempts,
        max_retry_s=_seconds(retry.max_retry_duration),
        first_delay_s=_seconds(retry.min_backoff),
        max_delay_s=_seconds(retry.max_backoff),
        max_doublings=retry.max_doublings,
        rate=rates.max_dispatches_per_second,
        burst=rates.max_burst_size,
        concurrency=rates.max_concurrent_dispatches,
        copies=copies,
        newest_first=newest_first,
    )


def _check_emulated(queue: Queue) -> None:
    for field in ("app_engine_routing_override", "http_target", "stackdriver_logging_config"):
        if field in queue:
            raise not_emulated(f"queue.{field}")


def _check_bounds(queue: Queue) -> None:
    retry, rates = Queue.pb(queue).retry_config, Queue.pb(queue).rate_limits
    if not 0 < rates.max_dispatches_per_second <= MAX_RATE:
        raise invalid(f"rate_limits.max_dispatches_per_second must be above 0 and at most {MAX_RATE:.0f}")
    if not 0 < rates.max_concurrent_dispatches <= MAX_CONCURRENCY:
        raise invalid(f"rate_limits.max_concurrent_dispatches must be from 1 to {MAX_CONCURRENCY}")
    if retry.max_attempts < -1:
        raise invalid("retry_config.max_attempts must be at least 1, or -1 for no limit")
    if retry.max_doublings < 0:
        raise invalid("retry_config.max_doublings must not be negative")
    least, most = _seconds(retry.min_backoff), _seconds(retry.max_backoff)
    if least < 0 or _seconds(retry.max_retry_duration) < 0:
        raise invalid("retry_config: a duration must not be negative")
    if least > most:
        raise invalid("retry_config.min_backoff must not be longer than retry_config.max_backoff")


def _seconds(duration: object) -> float:
    """Return a protobuf Duration in seconds."""
    return float(duration.seconds) + float(duration.nanos) / 1e9  # type: ignore[attr-defined]  # protobuf: untyped
