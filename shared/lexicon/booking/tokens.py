"""Finds the pieces of a message that name a date, a time, a length or a way."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from shared.lexicon.booking.words_file import BookingWordsFile
from shared.lexicon.lexicon_file import BilingualPhrases

_READ = "\x00"
"""Replaces what was read, so that no other pattern reads it again."""


class TokenKind(StrEnum):
    PHONE_NUMBER = "phone_number"
    NOTE = "note"
    LENGTH = "length"
    TIME = "time"
    DATE = "date"
    OPEN_TIME = "open_time"
    WAY_OTHER = "way_other"
    WAY_CHAT = "way_chat"
    WAY_PHONE = "way_phone"


@dataclass(frozen=True)
class Token:
    """A piece of the message.

    Attributes:
        said: The named groups that matched.
    """

    kind: TokenKind
    start: int
    end: int
    text: str
    said: dict[str, str] = field(default_factory=dict)


_LISTS = {
    TokenKind.PHONE_NUMBER: "phone_number",
    TokenKind.NOTE: "note",
    TokenKind.TIME: "times",
    TokenKind.LENGTH: "lengths",
    TokenKind.DATE: "dates",
    TokenKind.OPEN_TIME: "open_times",
    TokenKind.WAY_OTHER: "way_other",
    TokenKind.WAY_CHAT: "way_chat",
    TokenKind.WAY_PHONE: "way_phone",
}
"""In the order in which they are read."""


class Tokenizer:
    """The patterns, compiled on first use."""

    def __init__(self, words: BookingWordsFile) -> None:
        self._words = words

    def tokens(self, text: str) -> list[Token]:
        """Return the pieces in the order of the text."""
        left, found = text, []
        for kind, patterns in self._patterns.items():
            for pattern in patterns:
                for token in _matches(kind, pattern, left):
                    found.append(token)
                    left = left[: token.start] + _READ * (token.end - token.start) + left[token.end :]
        return sorted(found, key=lambda token: token.start)

    @cached_property
    def _patterns(self) -> dict[TokenKind, list[re.Pattern[str]]]:
        return {kind: list(self._compiled(getattr(self._words, name))) for kind, name in _LISTS.items()}

    def _compiled(self, phrases: BilingualPhrases) -> Iterator[re.Pattern[str]]:
        for pattern in phrases.all:
            yield re.compile(self._words.join(BilingualPhrases(ko=(pattern,))), re.IGNORECASE)


def _matches(kind: TokenKind, pattern: re.Pattern[str], text: str) -> Iterator[Token]:
    for match in pattern.finditer(text):
        if match.end() > match.start():
            said = {name: value for name, value in match.groupdict().items() if value is not None}
            yield Token(kind, match.start(), match.end(), match.group(), said)
