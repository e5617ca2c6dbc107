"""Configures logging once per process, with one handler that withholds user text."""

import contextlib
import logging
import sys
from typing import Literal, TextIO

from shared.observability.formats import OURS, CloudFormatter, TextFormatter, ours

LogFormat = Literal["json", "text"]

_SELF_SILENCED = ("google", "uvicorn.access")
"""They detach from the root logger when they are imported or started."""


def configure_logging(
    form: LogFormat, level: int, *, project: str | None = None, stream: TextIO | None = None
) -> logging.Handler:
    """Write through one handler that replaces the root logger's plain stream handlers.

    Args:
        form: JSON lines for Cloud Logging, or text.
        level: Level of our own lines. Other libraries log from WARNING on, since lower levels contain addresses and
            contents.
        project: Project of the trace ids.
        stream: Target; by default stderr.
    """
    handler = _SafeHandler(stream or sys.stderr)
    handler.setFormatter(CloudFormatter(project) if form == "json" else TextFormatter())
    handler.setLevel(level)
    handler.addFilter(lambda record: ours(record) or record.levelno >= logging.WARNING)
    root = logging.getLogger()
    for present in root.handlers[:]:
        if type(present) in (logging.StreamHandler, _SafeHandler):
            root.removeHandler(present)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name in _SELF_SILENCED:
        logging.getLogger(name).propagate = True
    for name in OURS:
        logging.getLogger(name).setLevel(level)
    # Warnings quote values too (such as pydantic's); as log lines they pass the handler.
    logging.captureWarnings(capture=True)
    return handler


class _SafeHandler(logging.StreamHandler[TextIO]):
    """Writes lines; a line that cannot be written is reported without its content."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name of `logging`
        """Report a lost line. The inherited method prints the line's arguments."""
        with contextlib.suppress(OSError, ValueError):  # without a reader of stderr, work goes on
            print(f"a log line of {record.module}:{record.lineno} could not be written", file=sys.stderr)  # noqa: T201
