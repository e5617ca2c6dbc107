"""Google's messages, handled as values."""

from typing import TypeVar

from google.cloud.tasks_v2.types import Queue, Task

M = TypeVar("M", Queue, Task)


def copy_of(message: M) -> M:
    """Return another message that is equal to this one."""
    kind = type(message)
    copied: M = kind.deserialize(kind.serialize(message))
    return copied
