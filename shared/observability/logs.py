"""Sets logging up, once a process: one handler that lets no foreign word through."""

import contextlib
import logging
import sys
from typing import Literal, TextIO

from shared.observability.formats import OURS, CloudFormatter, TextFormatter, ours

LogFormat = Literal["json", "text"]

_SELF_SILENCED = ("google", "uvicorn.access")
"""They cut themselves off from the root logger when they are imported or started, warnings and all."""


def configure_logging(
    form: LogFormat, level: int, *, project: str | None = None, stream: TextIO | None = None
) -> logging.Handler:
    """Write through one handler, in place of the plain stream handlers that the root logger has.

    Args:
        form: JSON lines for Cloud Logging, or text.
        level: From which on our own lines are written. Other libraries speak from WARNING on, whatever it is: below
            that they tell addresses and contents.
        project: Named with the trace ids.
        stream: Where to; stderr unless given.
    """
    handler = _SafeHandler(stream or sys.stderr)
    handler.setFormatter(CloudFormatter(project) if form == "json" else TextFormatter())
    handler.setLevel(level)
    handler.addFilter(_ours_or_grave)
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
    # Warnings quote values too (pydantic's of unexpected ones); as log lines they go through the handler.
    logging.captureWarnings(capture=True)
    return handler


class _SafeHandler(logging.StreamHandler[TextIO]):
    """Writes lines; about one that it cannot write it says only that."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name of `logging`
        """Say that a line was lost, if anybody reads it. The inherited way prints the line's arguments."""
        with contextlib.suppress(OSError, ValueError):  # the reader of stderr is gone: what is logged goes on
            print(f"a log line of {record.module}:{record.lineno} could not be written", file=sys.stderr)  # noqa: T201


def _ours_or_grave(record: logging.LogRecord) -> bool:
    return ours(record) or record.levelno >= logging.WARNING
