"""The trace of something that broke: where, never what a person wrote."""

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
    """An error outside the tree of ours whose words hold constants and settings only, so that the log may tell them."""


_SPEAKS = (StoreError, ContentError, ConfigError, Unauthenticated, AppCheckFailed, IdentityUnavailable, OwnWords)
"""Errors whose words are our own: paths, file names, variables, what is wrong with a token. The others' may quote: a
model's error an answer, a request's its body."""
LONGEST_WORDS = 200


def trace_of(error: BaseException) -> str:
    """Return the frames of an error and its causes.

    A foreign error's words are left out: it may quote the value it met (pydantic's does), and that may be a message or
    a token. Of our own most have only their code in it.
    """
    return "\ncaused by:\n".join(_parts(error))


def name_of(error: BaseException) -> str:
    """Return what to call an error in one word: our code, or the foreign type's name."""
    return error.code if isinstance(error, CBotError) else type(error).__qualname__.replace("<locals>.", "")


def _parts(error: BaseException | None) -> Iterator[str]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield f"{''.join(traceback.format_tb(error.__traceback__))}{type(error).__qualname__}{_words(error)}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def words_of(error: BaseException) -> str:
    """Return what an error says, if its words are our own; empty otherwise."""
    said = str(error)[:LONGEST_WORDS] if isinstance(error, _SPEAKS) else ""
    return "".join(character if character.isprintable() else "?" for character in said)


def _words(error: BaseException) -> str:
    said = words_of(error)
    if said:
        return f": {said}"
    return f" ({error.code})" if isinstance(error, CBotError) else ""
