"""Pauses Python's garbage collector while modules and content are loaded."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Collect nothing inside, and leave what was made inside out of every later collection.

    Loading makes hundreds of thousands of objects that live as long as the process. To look through them again and
    again takes a fifth of a cold start, and writes to the pages that the server's two processes share.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
