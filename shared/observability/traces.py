"""Stack traces of errors without user text."""

import traceback
from collections.abc import Iterator

from shared.domain.errors import (
    AppCheckFailed,
    CBotError,
    ConfigError,
    ContentError,
    IdentityUnavailable,
    StoreError,
    Unauthenticated,
)


class OwnWords(Exception):
    """An error outside our tree whose message holds constants and settings only, so that it may be logged."""


_SPEAKS = (StoreError, ContentError, ConfigError, Unauthenticated, AppCheckFailed, IdentityUnavailable, OwnWords)
"""Errors whose message may be logged: paths, file names, variables, what is wrong with a token. Other messages may
quote an answer or a request body."""
LONGEST_WORDS = 200


def trace_of(error: BaseException) -> str:
    """Return the stack traces of an error and its causes.

    Messages of foreign errors are left out, since they may quote a value (pydantic's do), such as a message or a token.
    Most of our own show only their code.
    """
    return "\ncaused by:\n".join(_parts(error))


def name_of(error: BaseException) -> str:
    """Return an error's code, or the type name of a foreign error."""
    return error.code if isinstance(error, CBotError) else type(error).__qualname__.replace("<locals>.", "")


def _parts(error: BaseException | None) -> Iterator[str]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__qualname__}{_words(error)}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def words_of(error: BaseException) -> str:
    """Return an error's message if it may be logged, else ""."""
    said = str(error)[:LONGEST_WORDS] if isinstance(error, _SPEAKS) else ""
    return "".join(character if character.isprintable() else "?" for character in said)


def _words(error: BaseException) -> str:
    said = words_of(error)
    if said:
        return f": {said}"
    return f" ({error.code})" if isinstance(error, CBotError) else ""
