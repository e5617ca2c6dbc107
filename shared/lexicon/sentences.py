"""Divides a reply into sentences; a quotation is part of the sentence around it, and is not read."""

import re
from collections.abc import Callable

_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’")
_SENTENCE = re.compile(r"(?:\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|[^.?!…\n])+[.?!…]*")
_SPACES = re.compile(r"\s+")


def sentences_of(reply: str) -> tuple[str, ...]:
    """Return the sentences of a reply, without quotations."""
    own = plain_marks(_QUOTED.sub(" ", reply))
    return tuple(_SPACES.sub(" ", sentence).strip() for sentence in _SENTENCE.findall(own))


def without_sentences(reply: str, left_out: Callable[[str], bool]) -> str:
    """Return a reply without the sentences of a kind, which is judged without their quotations."""
    kept = _SENTENCE.sub(lambda found: "" if left_out(_QUOTED.sub("", found[0])) else found[0], plain_marks(reply))
    return "\n".join(_SPACES.sub(" ", line).strip() for line in kept.splitlines()).strip()


def plain_marks(text: str) -> str:
    """Return a text with the plain apostrophe and plain marks of questions and exclamations."""
    return text.replace("\u2019", "'").replace("？", "?").replace("！", "!")
