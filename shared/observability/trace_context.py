"""The trace that the present work belongs to: taken from a request, given on to tasks and documents.

Of whatever runs in one asyncio task each has its own; a task started inside inherits it. W3C Trace Context:
https://www.w3.org/TR/trace-context/
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
"""What Google's front end adds besides: `TRACE/SPAN;o=1`, the span id in decimal.
https://cloud.google.com/trace/docs/trace-context#legacy-http-header"""

_TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[!-~]{1,200})?", re.ASCII)
_GOOGLES = re.compile(r"([0-9a-fA-F]{32})(?:/([0-9]{1,20}))?(?:;o=([0-9]))?", re.ASCII)

R = TypeVar("R", bound=Record | Rewritten)


@dataclass(frozen=True)
class TraceContext:
    """Where in a trace the work stands.

    Attributes:
        trace_id: 32 hex digits.
        span_id: 16 hex digits of the span that encloses the work; None at the root of a trace.
        sampled: Whether the spans of the trace are kept.
    """

    trace_id: str
    span_id: str | None = None
    sampled: bool = False

    @property
    def traceparent(self) -> str:
        """As a header; at a root it names a span that nobody has exported, since the header must name one."""
        return f"00-{self.trace_id}-{self.span_id or new_span_id()}-{'01' if self.sampled else '00'}"


_current: ContextVar[TraceContext | None] = ContextVar("cbot_trace", default=None)


def current_trace() -> TraceContext | None:
    """Return the trace of the present work; None outside any."""
    return _current.get()


def current_trace_id() -> str | None:
    """Return the id of the trace of the present work; None outside any."""
    trace = _current.get()
    return None if trace is None else trace.trace_id


@contextmanager
def incoming(headers: Mapping[str, str]) -> Iterator[TraceContext]:
    """Work inside the trace that a request belongs to: `traceparent`, else Google's header, else a new one.

    Headers that are not well formed count as absent. `headers` finds names whatever their case, as Starlette's do.
    """
    with inside(read_traceparent(headers.get(TRACEPARENT)) or _googles(headers.get(GOOGLES)) or new_trace()) as trace:
        yield trace


@contextmanager
def inside(trace: TraceContext) -> Iterator[TraceContext]:
    """Work inside a trace, and be back where one was at the end."""
    token = _current.set(trace)
    try:
        yield trace
    finally:
        _current.reset(token)


def ensure_trace() -> TraceContext:
    """Return the trace of the present work; begin one where there is none, as for a turn that a restart resumes."""
    trace = _current.get()
    if trace is None:
        trace = new_trace()
        _current.set(trace)
    return trace


def continue_trace(traceparent: object) -> None:
    """Go on in the trace that a stored document names; anything that is no traceparent changes nothing."""
    trace = read_traceparent(traceparent)
    if trace is not None:
        _current.set(trace)


def outgoing_headers() -> dict[str, str]:
    """Return what carries the trace on in a request to another function; nothing outside any trace."""
    trace = _current.get()
    return {} if trace is None else {TRACEPARENT: trace.traceparent}


def stamped(records: Iterable[R]) -> tuple[R, ...]:
    """Return records with the trace that they were made in, for whom they trigger; a rewritten one keeps its."""
    trace = _current.get()
    if trace is None:
        return tuple(records)
    made_in = trace.traceparent

    def made(one: R) -> R:
        return one if isinstance(one, Rewritten) or one.trace else one.model_copy(update={"trace": made_in})

    return tuple(made(one) for one in records)


def read_traceparent(value: object) -> TraceContext | None:
    """Read a `traceparent`; None for what is none, of whatever type."""
    found = _TRACEPARENT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == "ff" or (version == "00" and more) or not (int(trace_id, 16) and int(span_id, 16)):
        return None
    return TraceContext(trace_id, span_id, sampled=bool(int(flags, 16) & 1))


def new_trace() -> TraceContext:
    """Return the root of a new trace. Its id is random and decides nothing, so it needs no source of its own."""
    return TraceContext(secrets.token_hex(16))


def new_span_id() -> str:
    """Return 16 hex digits."""
    return secrets.token_hex(8)


def _googles(value: object) -> TraceContext | None:
    found = _GOOGLES.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1], 16):
        return None
    span = int(found[2] or 0)
    return TraceContext(
        found[1].lower(), f"{span:016x}" if 0 < span < 1 << 64 else None, sampled=bool(int(found[3] or 0) & 1)
    )
