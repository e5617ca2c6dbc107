"""`log_event`: the only function with which the product writes log lines."""

import logging
from dataclasses import dataclass
from typing import TypedDict, Unpack

from shared.domain.errors import CBotError
from shared.observability.events import SEVERITY, LogEvent
from shared.observability.fields import Fields, Value, checked
from shared.observability.traces import name_of, trace_of, words_of

ATTRIBUTE = "cbot"
"""Attribute of a `LogRecord` that holds its `Entry`."""


@dataclass(frozen=True)
class Entry:
    """Content of a structured log record.

    Attributes:
        dropped: Names of fields that were no id, code or number.
        reason: The error's message, if it is known to quote nothing.
        text: Event and fields in one line, for people.
        trace: Stack trace of an error, or "".
    """

    event: LogEvent
    fields: dict[str, Value]
    dropped: tuple[str, ...]
    reason: str
    text: str
    trace: str = ""


class _Extra(TypedDict):
    cbot: Entry


def log_event(
    log: logging.Logger,
    event: LogEvent,
    /,
    *,
    error: BaseException | str | None = None,
    severity: int | None = None,
    **fields: Unpack[Fields],
) -> None:
    """Write a structured log line.

    Args:
        log: The module's logger.
        event: The event.
        error: The error, or its code; its message is not logged.
        severity: A level of `logging`; by default the event's.
        fields: Ids, codes and numbers; None counts as not given, anything else is dropped and named in `dropped`.
    """
    gravity = SEVERITY.get(event, logging.INFO) if severity is None else severity
    if not log.isEnabledFor(gravity):
        return
    entry = _entry(event, error, dict(fields))
    text = f"{entry.text}\n{entry.trace}" if entry.trace else entry.text
    extra: _Extra = {"cbot": entry}
    log.log(gravity, "%s", text, extra=extra, stacklevel=2)


def entry_of(record: logging.LogRecord) -> Entry | None:
    """Return the `Entry` of a record; None for other lines."""
    found = getattr(record, ATTRIBUTE, None)
    return found if isinstance(found, Entry) else None


def _entry(event: LogEvent, error: BaseException | str | None, fields: dict[str, object]) -> Entry:
    kept, dropped = checked({**fields, "error": name_of(error) if isinstance(error, BaseException) else error})
    said = " ".join((event.value, *(f"{name}={_shown(value)}" for name, value in kept.items())))
    if dropped:
        said = f"{said} dropped={','.join(dropped)}"
    if not isinstance(error, BaseException):
        return Entry(event, kept, dropped, "", said)
    reason = words_of(error)
    return Entry(event, kept, dropped, reason, f"{said}: {reason}" if reason else said, _trace(event, error))


def _trace(event: LogEvent, error: BaseException) -> str:
    """Return an error's stack trace; expected errors of ours have none."""
    return trace_of(error) if event.broke or not isinstance(error, CBotError) else ""


def _shown(value: Value) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)
