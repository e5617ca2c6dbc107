"""Checks that the words a model quotes are the user's own."""

import re
import unicodedata

from shared.visible_text import LIKE_ANGLES, visible

_NOISE = re.compile(rf"[\s\"'“”‘’.,!?…~‹›<>«⏎{''.join(LIKE_ANGLES)}]+")
SHORTEST = 1
"""Minimum characters of a quote, without spaces and punctuation; a one-syllable answer can be complete."""


def is_verbatim_quote(quote: str, text: str) -> bool:
    """Return whether the quote is in the text, ignoring spaces, quotation marks, punctuation and case."""
    wanted = plain(quote)
    return len(wanted) >= SHORTEST and wanted in plain(text)


def plain(text: str) -> str:
    """Return a text without spacing, quotation marks, punctuation and case."""
    return _NOISE.sub("", unicodedata.normalize("NFC", visible(text))).casefold()
