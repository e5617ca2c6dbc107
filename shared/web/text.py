"""Cleans text that a user typed."""

import unicodedata

from shared.contracts.chat import MAX_TEXT
from shared.domain.errors import EmptyText, TextTooLong
from shared.visible_text import composed

_SHRINK = 4
"""Largest factor by which normalising shortens a text (a jamo syllable 3:1, polytonic Greek 4:1)."""
_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}
_BLANK_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Zs"}
_BLANK_LETTERS = set("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols without a visible glyph: Hangul fillers, the empty Braille cell, the grapheme joiner."""


def clean_message(text: str, limit: int = MAX_TEXT) -> str:
    """Return a message without control characters, in NFC, stripped.

    Raises:
        EmptyText: Nothing visible is left.
        TextTooLong: More than `limit` characters are left.
    """
    if len(text) > limit * _SHRINK:
        raise TextTooLong(len(text), limit)
    cleaned = clean(text)
    if all(_blank(character) for character in cleaned):
        raise EmptyText
    if len(cleaned) > limit:
        raise TextTooLong(len(cleaned), limit)
    return cleaned


def clean(text: str) -> str:
    r"""Return text without control characters (but \n and \t), in NFC, stripped."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)
    return composed(lines).strip()


def _blank(character: str) -> bool:
    return (
        unicodedata.category(character) in _BLANK_CATEGORIES
        or character in _BLANK_LETTERS
        or "\ufe00" <= character <= "\ufe0f"
    )
