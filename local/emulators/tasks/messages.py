"""Copies Google's messages."""

from typing import TypeVar

from google.cloud.tasks_v2.types import Queue, Task

M = TypeVar("M", Queue, Task)


def copy_of(message: M) -> M:
    """Return a copy of a message."""
    kind = type(message)
    copied: M = kind.deserialize(kind.serialize(message))
    return copied
