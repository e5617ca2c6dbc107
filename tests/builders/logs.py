"""Keeps the configuration of logging."""

import logging
from contextlib import contextmanager

from shared.observability.formats import OURS


@contextmanager
def logging_kept():
    """Restore handlers, levels and warnings at the end of the block."""
    root, loggers = logging.getLogger(), [logging.getLogger(name) for name in ("root", *OURS)]
    handlers, levels = root.handlers[:], [logger.level for logger in loggers]
    try:
        yield
    finally:
        root.handlers[:] = handlers
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        logging.captureWarnings(capture=False)
