"""The trace of something that broke: where, never what a person wrote."""

import traceback
from collections.abc import Iterator

from shared.domain.errors import CBotError


def trace_of(error: BaseException) -> str:
    """Return the frames of an error and its causes.

    Only our own errors' words are in it: a foreign one may quote the value it met (pydantic's does), and that
    may be a message or a token.
    """
    return "\ncaused by:\n".join(_parts(error))


def _parts(error: BaseException | None) -> Iterator[str]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        words = f": {error}" if isinstance(error, CBotError) else ""
        yield f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__qualname__}{words}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
