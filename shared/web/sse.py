"""A turn's events as server-sent events; a listener may reconnect without affecting the turn."""

import logging
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import cast
from weakref import WeakKeyDictionary

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request

from shared.contracts.events import Failed, Replace, StreamEvent, TurnEvent, data_of
from shared.engine.event_stream import EventStream
from shared.web.danger import danger_of
from shared.web.graceful_shutdown import FLUSH_SECONDS
from shared.web.negotiation import locale_of
from shared.web.problems import ProblemTexts, problem_of_failed

PING_SECONDS = 10
_ID = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)

# At DEBUG it logs every chunk, which contains the conversation.
logging.getLogger("sse_starlette.sse").setLevel(logging.INFO)

_sent: WeakKeyDictionary[EventStream, int] = WeakKeyDictionary()
"""The newest event number sent from each stream. A `Last-Event-ID` is only valid for its own stream: a replay, or a
turn run again after a crash, numbers its events differently."""

Wording = Callable[[StreamEvent], TurnEvent]


def stream_response(request: Request, stream: EventStream, texts: ProblemTexts) -> EventSourceResponse:
    """Return the stream of a turn, starting after the last event that the client received."""
    locale, danger = locale_of(request), danger_of(request.scope)

    def worded(event: StreamEvent) -> TurnEvent:
        if isinstance(event, Failed):
            problem = problem_of_failed(event, texts, locale, danger)
            return event.model_copy(
                update={"code": problem.code, "detail": problem.detail, "resources": problem.resources}
            )
        return cast("TurnEvent", event)

    return EventSourceResponse(
        _events(stream, _last_seen(request), worded),
        ping=PING_SECONDS,
        shutdown_grace_period=FLUSH_SECONDS,
        ping_message_factory=lambda: ServerSentEvent(comment="ping"),
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _last_seen(request: Request) -> tuple[int, int] | None:
    found = _ID.fullmatch(request.headers.get("last-event-id", "").strip())
    return (int(found[1]), int(found[2])) if found else None


async def _events(
    stream: EventStream, seen: tuple[int, int] | None, worded: Wording
) -> AsyncGenerator[ServerSentEvent, None]:
    behind = -1
    if seen is not None and stream.seq in (None, seen[0]):
        if seen[1] <= _sent.get(stream, -1):
            behind = seen[1]
        elif not stream.closed:  # another run of the turn: the client's text is replaced
            yield ServerSentEvent(data_of(Replace(text="")), event="replace")
    ended = False
    async with aclosing(stream.listen(behind)) as events:
        async for number, event in events:
            _sent[stream] = max(number, _sent.get(stream, -1))
            ended = stream.ending is event
            yield _numbered(stream, number, worded(event))
    if not ended and stream.ending is not None:  # every stream ends with its last event, even if it was sent before
        yield _numbered(stream, behind, worded(stream.ending))


def _numbered(stream: EventStream, number: int, event: TurnEvent) -> ServerSentEvent:
    return ServerSentEvent(data_of(event), event=event.event, id=f"{stream.seq or 0}.{number}")
