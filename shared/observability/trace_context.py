"""The trace of the current work, received with requests and passed on to tasks and documents.

Each asyncio task has its own; a new task inherits it. W3C Trace Context: https://www.w3.org/TR/trace-context/
"""

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from shared.domain.records import Record, Rewritten

TRACEPARENT = "traceparent"
GOOGLES = "X-Cloud-Trace-Context"
"""Google's front end also adds `TRACE/SPAN;o=1`, the span id in decimal.
https://cloud.google.com/trace/docs/trace-context#legacy-http-header"""

_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{1,200})?", re.ASCII)
_GOOGLES = re.compile(r"([0-9a-fA-F]{32})(?:/([0-9]{1,20}))?(?:;o=([0-9]))?", re.ASCII)

R = TypeVar("R", bound=Record | Rewritten)


@dataclass(frozen=True)
class TraceContext:
    """Position in a trace.

    Attributes:
        trace_id: 32 hex digits.
        span_id: 16 hex digits of the enclosing span; None at the root of a trace.
        sampled: Whether the trace's spans are kept.
    """

    trace_id: str
    span_id: str | None = None
    sampled: bool = False

    @property
    def traceparent(self) -> str:
        """As a header; at a root with a random span id, since the header must have one."""
        return f"00-{self.trace_id}-{self.span_id or secrets.token_hex(8)}-{'01' if self.sampled else '00'}"


_current: ContextVar[TraceContext | None] = ContextVar("cbot_trace", default=None)


def current_trace() -> TraceContext | None:
    return _current.get()


@contextmanager
def incoming(headers: Mapping[str, str]) -> Iterator[TraceContext]:
    """Work in a request's trace: from `traceparent`, else Google's header, else a new one.

    Malformed headers count as absent. `headers` must ignore case, like Starlette's.
    """
    with inside(read_traceparent(headers.get(TRACEPARENT)) or _googles(headers.get(GOOGLES)) or new_trace()) as trace:
        yield trace


@contextmanager
def inside(trace: TraceContext) -> Iterator[TraceContext]:
    """Set the current trace inside the block."""
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


def ensure_trace() -> TraceContext:
    """Return the current trace; start one if there is none."""
    trace = _current.get()
    if trace is None:
        trace = new_trace()
        _current.set(trace)
    return trace


def continue_trace(traceparent: object) -> None:
    """Continue the trace of a stored document; a value that is no traceparent changes nothing."""
    trace = read_traceparent(traceparent)
    if trace is not None:
        _current.set(trace)


def outgoing_headers() -> dict[str, str]:
    """Return the headers that pass the current trace on; {} without one."""
    trace = _current.get()
    return {} if trace is None else {TRACEPARENT: trace.traceparent}


def stamped(records: Iterable[R]) -> tuple[R, ...]:
    """Add the current trace to new records, for the work that they trigger; rewritten records keep theirs."""
    trace = _current.get()
    if trace is None:
        return tuple(records)
    made_in = trace.traceparent

    def made(one: R) -> R:
        return one if isinstance(one, Rewritten) or one.trace else one.model_copy(update={"trace": made_in})

    return tuple(made(one) for one in records)


def read_traceparent(value: object) -> TraceContext | None:
    """Parse a `traceparent`; None if it is invalid."""
    found = _TRACEPARENT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == "ff" or (version == "00" and more) or not (int(trace_id, 16) and int(span_id, 16)):
        return None
    return TraceContext(trace_id, span_id, sampled=bool(int(flags, 16) & 1))


def new_trace() -> TraceContext:
    """Return the root of a new trace with a random id."""
    return TraceContext(secrets.token_hex(16))


def _googles(value: object) -> TraceContext | None:
    found = _GOOGLES.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1], 16):
        return None
    span = int(found[2] or 0)
    return TraceContext(
        found[1].lower(), f"{span:016x}" if 0 < span < 1 << 64 else None, sampled=bool(int(found[3] or 0) & 1)
    )
