"""How a turn's stream ends without the turn being run here."""

from shared.contracts.chat import reply_of
from shared.contracts.events import Done, Failed, Replace
from shared.domain.errors import CBotError, ErrorKind
from shared.domain.turn import TurnResult
from shared.engine.event_stream import EventStream


def failure(error: CBotError) -> Failed:
    """Word an error for the stream; the edge puts the localised detail in."""
    return Failed(code=error.code, detail="", retryable=error.kind is ErrorKind.RETRYABLE)


def replayed(result: TurnResult) -> EventStream:
    """Return a finished stream of a turn that was answered before."""
    stream = EventStream()
    replay(stream, result)
    return stream


def replay(stream: EventStream, result: TurnResult) -> None:
    """Put the whole of a turn that was answered before into a stream."""
    stream.seq = result.seq
    stream.emit(Replace(text=result.reply))
    stream.emit(Done(result=reply_of(result)))
