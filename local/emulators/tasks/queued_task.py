"""A task in a queue, whose message records its attempts and their failures."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

import grpc
from google.cloud.tasks_v2.types import Task

from local.embedded.backlog import Delivery, Outcome, Unanswered

# https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto, "HTTP Mapping"
_CODES = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    401: grpc.StatusCode.UNAUTHENTICATED,
    403: grpc.StatusCode.PERMISSION_DENIED,
    404: grpc.StatusCode.NOT_FOUND,
    409: grpc.StatusCode.ABORTED,
    429: grpc.StatusCode.RESOURCE_EXHAUSTED,
    499: grpc.StatusCode.CANCELLED,
    500: grpc.StatusCode.INTERNAL,
    501: grpc.StatusCode.UNIMPLEMENTED,
    503: grpc.StatusCode.UNAVAILABLE,
    504: grpc.StatusCode.DEADLINE_EXCEEDED,
}
_UNANSWERED = {
    Unanswered.LATE: (grpc.StatusCode.DEADLINE_EXCEEDED, "no response by the dispatch deadline"),
    Unanswered.BROKEN: (grpc.StatusCode.UNAVAILABLE, "no response"),
}


@dataclass(frozen=True, kw_only=True)
class QueuedTask(Delivery):
    """A task to dispatch.

    Attributes:
        message: Answer of GetTask.
        executions: Attempts that were answered with anything but a 5xx.
        previous: HTTP status of the previous attempt, if it was answered.
        retry_reason: Why the previous attempt failed; "" at the first.
    """

    message: Task
    executions: int
    previous: int | None
    retry_reason: str

    @classmethod
    def stored(cls, message: bytes, executions: int, previous: int | None) -> Self:
        """Return a stored task."""
        task = Task.deserialize(message)
        raw = Task.pb(task)
        return cls(
            id=task.name,
            due_at=raw.schedule_time.ToDatetime(tzinfo=UTC),
            attempts=raw.dispatch_count,
            deadline_s=raw.dispatch_deadline.ToTimedelta().total_seconds(),
            message=task,
            executions=executions,
            previous=previous,
            retry_reason=raw.last_attempt.response_status.message,
        )

    def begun(self, now: datetime) -> Self:
        """Return the task with a started attempt; `attempts` does not count it."""
        return replace(self, message=_dispatched(self.message, now))


def _dispatched(message: Task, now: datetime) -> Task:
    after = _copy_of(message)
    raw = Task.pb(after)
    raw.dispatch_count += 1
    raw.last_attempt.Clear()
    raw.last_attempt.schedule_time.CopyFrom(raw.schedule_time)
    raw.last_attempt.dispatch_time.FromDatetime(now)
    if not raw.HasField("first_attempt"):
        raw.first_attempt.dispatch_time.FromDatetime(now)
    return after


def failed(message: Task, outcome: Outcome, now: datetime, due_at: datetime) -> Task:
    """Return the message of a task after a failed attempt, to be retried at `due_at`."""
    after = _copy_of(message)
    raw = Task.pb(after)
    raw.schedule_time.FromDatetime(due_at)
    code, words = _verdict(outcome)
    raw.last_attempt.response_status.code = code.value[0]
    raw.last_attempt.response_status.message = f"{code.name}({code.value[0]}): {words}"
    if isinstance(outcome, int):
        raw.last_attempt.response_time.FromDatetime(now)
        raw.response_count += 1
    return after


def _copy_of(message: Task) -> Task:
    copied: Task = Task.deserialize(Task.serialize(message))
    return copied


def _verdict(outcome: Outcome) -> tuple[grpc.StatusCode, str]:
    if isinstance(outcome, Unanswered):
        return _UNANSWERED[outcome]
    return _CODES.get(outcome, grpc.StatusCode.UNKNOWN), f"HTTP status code {outcome}"
