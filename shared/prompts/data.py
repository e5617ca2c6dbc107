"""Encodes text by a person or a model for prompts, so that it can forge no tag, line or speaker.

The encoding is injective: different texts stay different, and `decoded` reverses it.
"""

import re

from shared.visible_text import LIKE_ANGLES, visible

LONGEST = 8_000
"""Characters encoded; a longer text keeps its head and tail. Larger than any caller's limit."""

BREAK = " ⏎ "
"""Encodes a line break, so that a message stays on its speaker's line."""
ESCAPE = "«"
"""Precedes a character of the encoding that the text itself contains."""

_WRITTEN_AS = {"<": "‹", ">": "›", **{sign: ESCAPE + sign for sign in "‹›＆⏎" + ESCAPE}}
_SIGN = re.compile(f"[{''.join(_WRITTEN_AS)}]")
_BRACKETS = str.maketrans(LIKE_ANGLES)
_ENTITY = re.compile(r"&(?=\w{1,31};|#x?[0-9a-f]|lt|gt|amp|quot)", re.IGNORECASE)
"""Some are read without their semicolon (HTML, named character references)."""
_ENCODED = re.compile(rf"{ESCAPE}(.)|{BREAK}|[‹›＆]", re.DOTALL)
_MEANT = {BREAK: "\n", "‹": "<", "›": ">", "＆": "&"}
_GAP = " … "


def as_data(text: object) -> str:
    """Return a text as one line without angle brackets, entities and hidden characters."""
    return as_message(text).replace("\n", BREAK)


def as_message(text: object) -> str:
    """Return a text as a message of its own, which keeps its lines; else like `as_data`."""
    return _ENTITY.sub("＆", _SIGN.sub(lambda found: _WRITTEN_AS[found[0]], as_read(str(text))))


def as_read(text: str) -> str:
    """Return the visible part of a text within the length limit, before encoding."""
    seen = visible(text).translate(_BRACKETS)
    half = (LONGEST - len(_GAP)) // 2
    return seen if len(seen) <= LONGEST else seen[:half] + _GAP + seen[-half:]


def decoded(data: str) -> str:
    """Return the text that `as_data` or `as_message` encoded."""
    return _ENCODED.sub(lambda found: found[1] or _MEANT[found[0]], data)
