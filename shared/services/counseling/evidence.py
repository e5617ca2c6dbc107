"""Evidence: a model's finding counts only with words that the user really said."""

import re
import unicodedata

from shared.visible_text import LIKE_ANGLES, visible

_NOISE = re.compile(rf"[\s\"'“”‘’.,!?…~‹›<>«⏎{''.join(LIKE_ANGLES)}]+")
SHORTEST = 1
"""Characters of a quote, noise aside; a one-syllable answer can be a whole answer."""


def is_verbatim_quote(quote: str, text: str) -> bool:
    """Return whether the quote stands in the text, ignoring spaces, quotation marks and punctuation."""
    wanted = plain(quote)
    return len(wanted) >= SHORTEST and wanted in plain(text)


def plain(text: str) -> str:
    """Return a text without spacing, quotation marks, punctuation and case."""
    return _NOISE.sub("", unicodedata.normalize("NFC", visible(text))).casefold()
