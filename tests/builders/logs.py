"""Logging as a test finds it."""

import logging
from contextlib import contextmanager

from shared.observability.formats import OURS


@contextmanager
def logging_kept():
    """Leave handlers, levels and warnings as they were, whatever is configured meanwhile."""
    root, loggers = logging.getLogger(), [logging.getLogger(name) for name in ("root", *OURS)]
    handlers, levels = root.handlers[:], [logger.level for logger in loggers]
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        logging.captureWarnings(capture=False)
