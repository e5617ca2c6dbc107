"""Which of the machine's cores a process may use."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


def cores_apart() -> tuple[set[int], set[int]] | None:
    """Return one core, and all the others; None where processes cannot be bound, or there is only one core."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    first, *others = sorted(os.sched_getaffinity(0))
    return ({first}, set(others)) if others else None


@contextmanager
def only_on(cores: set[int] | None) -> Iterator[None]:
    """Bind this thread, and the processes that it starts inside the block, to these cores; None binds nothing."""
    if cores is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
