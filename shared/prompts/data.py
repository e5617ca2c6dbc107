"""Whatever a person or a model wrote, as it stands in a prompt: data, which can forge no tag, line or speaker.

The encoding is injective: two texts that read differently stay different, and `decoded` gives back what was encoded.
"""

import re

from shared.visible_text import LIKE_ANGLES, visible

LONGEST = 8_000
"""Characters that go in; of a longer text head and tail stand. Own bound, above whatever the callers let through."""

BREAK = " ⏎ "
"""A line break: what was said stays on the line of who said it."""
ESCAPE = "«"
"""Stands before a character that the encoding uses, where somebody wrote it."""

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
    """Return a text that is a message of its own, whose lines may stay lines: the rest is as in `as_data`."""
    return _ENTITY.sub("＆", _SIGN.sub(lambda found: _WRITTEN_AS[found[0]], as_read(str(text))))


def as_read(text: str) -> str:
    """Return what of a text is encoded: what a reader sees of it, within its length."""
    seen = visible(text).translate(_BRACKETS)
    half = (LONGEST - len(_GAP)) // 2
    return seen if len(seen) <= LONGEST else seen[:half] + _GAP + seen[-half:]


def decoded(data: str) -> str:
    """Return the text that `as_data` or `as_message` encoded."""
    return _ENCODED.sub(lambda found: found[1] or _MEANT[found[0]], data)
