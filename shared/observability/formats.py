"""Formats log lines as text and as Cloud Logging's JSON, withholding text that may quote users.

https://cloud.google.com/logging/docs/structured-logging#structured_logging_special_fields
"""

import json
import linecache
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum

from shared.observability.fields import code, number
from shared.observability.log_event import Entry, entry_of
from shared.observability.trace_context import current_trace
from shared.observability.traces import name_of, trace_of, words_of

OURS = ("shared", "functions", "local")
WITHHELD = "[withheld]"
LONGEST_TRACE = 20_000
"""Characters of a stack trace. A log entry may have 256 KB: https://cloud.google.com/logging/quotas"""
_STATEMENT_LINES = 8
"""Lines from a logging call's start in which its message is searched."""
_GOOGLE = "logging.googleapis.com"


class TextFormatter(logging.Formatter):
    """Text for terminals."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with a stack trace for an error."""
        trace = _trace(record)
        line = f"{record.levelname} {record.name}: {_message(record)}"
        return _clean(f"{line}\n{trace}" if trace else line)


class CloudFormatter(logging.Formatter):
    """One JSON object per line."""

    def __init__(self, project: str | None) -> None:
        super().__init__()
        self._traces = f"projects/{project}/traces/" if project else ""

    def format(self, record: logging.LogRecord) -> str:
        entry, trace = entry_of(record), _trace(record)
        line: dict[str, object] = {
            "severity": record.levelname,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "message": _clean(_message(record)),
        }
        if entry is not None:
            line |= {"event": entry.event.value, **entry.fields}
            if entry.dropped:
                line["dropped"] = entry.dropped
            if entry.reason:
                line["reason"] = entry.reason
        if trace:
            line["stack_trace"] = _clean(f"Traceback (most recent call last):\n{trace}")
        return json.dumps(line | self._context(record))

    def _context(self, record: logging.LogRecord) -> dict[str, object]:
        context: dict[str, object] = {f"{_GOOGLE}/labels": {"logger": record.name}}
        if record.levelno >= logging.WARNING:
            where = {"file": record.pathname, "line": str(record.lineno), "function": record.funcName}
            context[f"{_GOOGLE}/sourceLocation"] = where
        trace = current_trace()
        if trace is not None:
            context[f"{_GOOGLE}/trace"] = f"{self._traces}{trace.trace_id}"
            context[f"{_GOOGLE}/trace_sampled"] = trace.sampled
            if trace.span_id is not None:
                context[f"{_GOOGLE}/spanId"] = trace.span_id
        return context


def ours(record: logging.LogRecord) -> bool:
    """Tell whether this repository's code wrote the line."""
    return record.name.partition(".")[0] in OURS


def _message(record: logging.LogRecord) -> str:
    entry = entry_of(record)
    if entry is not None:
        return entry.text
    text = _as_written(record)
    if text is None:
        return f"{WITHHELD} {record.module}:{record.lineno}"
    if not (ours(record) and record.args):
        return text
    given = record.args
    try:
        if isinstance(given, Mapping):
            return text % {name: _safe(value) for name, value in given.items()}
        return text % tuple(_safe(value) for value in given)
    except (TypeError, ValueError):  # a withheld value does not fit a number's format
        return text


def _as_written(record: logging.LogRecord) -> str | None:
    """Return a message that occurs literally in the source; a composed one may quote anything, so None."""
    text = record.msg if isinstance(record.msg, str) else ""
    source = "".join(linecache.getline(record.pathname, record.lineno + i) for i in range(_STATEMENT_LINES))
    return text if text and text in source else None


def _safe(value: object) -> object:
    plain = value.value if isinstance(value, Enum) else value
    if plain is None or isinstance(plain, bool):
        return plain
    if isinstance(plain, BaseException):
        return words_of(plain) or name_of(plain)
    found = number(plain)
    return found if found is not None else code(plain) or WITHHELD


def _trace(record: logging.LogRecord) -> str:
    entry: Entry | None = entry_of(record)
    if entry is not None:
        return entry.trace[-LONGEST_TRACE:]
    error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
    return "" if error is None else trace_of(error)[-LONGEST_TRACE:]


def _clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 and so JSON cannot encode."""
    return text.encode("utf-8", "replace").decode()
