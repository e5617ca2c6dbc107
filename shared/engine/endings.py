"""Ends streams of turns that do not run on this instance."""

from shared.contracts.chat import reply_of
from shared.contracts.events import Done, Failed, Replace
from shared.domain.errors import CBotError, ErrorKind
from shared.domain.turn import TurnResult
from shared.engine.event_stream import EventStream


def failure(error: CBotError) -> Failed:
    """Convert an error to a stream event; the HTTP layer adds the localised detail."""
    return Failed(code=error.code, detail="", retryable=error.kind is ErrorKind.RETRYABLE)


def replayed(result: TurnResult) -> EventStream:
    """Return a finished stream of an answered turn."""
    stream = EventStream()
    replay(stream, result)
    return stream


def replay(stream: EventStream, result: TurnResult) -> None:
    """Emit the reply and the result of an answered turn."""
    stream.seq = result.seq
    stream.emit(Replace(text=result.reply))
    stream.emit(Done(result=reply_of(result)))
