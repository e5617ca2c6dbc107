"""Tracks corrections and denials of a name in a conversation."""

import re
from collections.abc import Sequence

from local.gemini.counsellor.name_forms import ASKS_TO_BE_CALLED, DENIED, MISTAKEN, TITLE
from local.gemini.counsellor.names import Introduction, is_likely, name_in, swapped_name

_NO_FIRST = re.compile(r"^(?:아+[,. ]*)?(?:아니(?:요|오|에요)?|아뇨|no|sorry)[,.!~… ]+", re.IGNORECASE)


def corrected_name(text: str, known: str, *, denied_before: bool = False) -> Introduction | None:
    """Return the name that replaces the known one, or None.

    Args:
        text: The user's message.
        known: The known name.
        denied_before: An earlier message denied it, so a bare name is the new one.
    """
    opened = _NO_FIRST.match(text)
    given = name_in(text, asked=denied_before) or (name_in(text[opened.end() :], asked=False) if opened else None)
    if given is None or given.name == known:
        return None
    meant = (
        denied_before
        or denies(text, known)
        or MISTAKEN.search(text)
        or ASKS_TO_BE_CALLED.search(given.quote)
        or swapped_name(text)
        or (opened and is_likely(given.name))
    )
    return given if meant else None


def denies(text: str, name: str) -> bool:
    """Tell whether a text denies that a name is the user's."""
    if not name:
        return False
    if name.isascii():
        return bool(re.search(rf"\b(?:not|isn't|don't call me) {re.escape(name)}\b", text, re.IGNORECASE))
    spoken = re.escape(name)
    return any(DENIED.match(text, found.end()) for found in re.finditer(rf"(?<![가-힣]){spoken}{TITLE}", text))


def current_name(texts: Sequence[str], known: str) -> str:
    """Return the current name: the known one with later corrections; "" once it is denied."""
    if not known:
        return ""
    given = [place for place, text in enumerate(texts) if known in text and not denies(text, known)]
    name = known
    for text in texts[given[-1] + 1 if given else 0 :]:
        changed = corrected_name(text, name or known, denied_before=not name)
        if changed:
            name = changed.name
        elif denies(text, name):
            name = ""
    return name
