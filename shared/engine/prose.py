"""Cleans a model's prose for display and storage: plain characters, few blank lines, whole sentences."""

import re

from shared.domain.errors import ModelSchemaMismatch
from shared.engine.reply_form import ReplyForm
from shared.visible_text import MOST_BREAKS, UNREADABLE, readable

WHOLE_ENOUGH = 20
"""Shortest text of whole sentences for which a cut reply is kept: one short Korean sentence."""

_SENTENCE_END = re.compile(r"[.!?…。？！~](?=[\s\"'”’)]|$)")
_GAP = " … "
_FENCE = "```"
_NO_PROSE = ("{", _FENCE)


class Prose:
    """A reply that grows piece by piece.

    Args:
        every: Every question stays.

    Attributes:
        text: All text taken so far that may be shown.
        form: Mends its form.
    """

    def __init__(self, *, every: bool = False) -> None:
        self.text = ""
        self.form = ReplyForm(every=every)
        self._began = False
        self._held = ""
        self._breaks = 0
        self._returned = False

    def take(self, piece: str) -> str:
        """Return the text that may be shown now; a start that may become a fence is held back, and what the form holds.

        Raises:
            ModelSchemaMismatch: The reply begins with JSON or a fenced block.
        """
        fresh = self._held + self._plain(piece)
        self._held = ""
        if not self._began:
            fresh = fresh.lstrip()
            if fresh.startswith(_NO_PROSE):
                raise ModelSchemaMismatch("prose was asked, and JSON or a fenced block came")
            if _FENCE.startswith(fresh):
                self._held = fresh
                return ""
            self._began = True
        return self._grown(self.form.take(fresh))

    def end(self) -> str:
        """Return the rest that the form held back."""
        return self._grown(self.form.end())

    def _grown(self, fresh: str) -> str:
        self.text += fresh
        return fresh

    def _plain(self, piece: str) -> str:
        """Keep visible characters, and no more than one blank line in a row."""
        seen = map(self._seen, piece)
        return "".join(char for char in seen if char and not self._one_break_too_many(char))

    def _seen(self, raw: str) -> str:
        """Normalise a character; a two-character line break becomes one."""
        second = raw == "\n" and self._returned
        self._returned = raw == "\r"
        char = "" if second else readable(raw)
        return "" if char == UNREADABLE else char

    def _one_break_too_many(self, char: str) -> bool:
        if char == "\n":
            self._breaks += 1
        elif not char.isspace():
            self._breaks = 0
        return char == "\n" and self._breaks > MOST_BREAKS


def whole_sentences(text: str) -> str:
    """Return the text up to its last whole sentence, or "" if that is too short for a reply."""
    whole = text[: end_of_sentences(text)].rstrip()
    return whole if len(whole) >= WHOLE_ENOUGH else ""


def end_of_sentences(text: str) -> int:
    """Return the end index of the last whole sentence, or 0."""
    return max((match.end() for match in _SENTENCE_END.finditer(text)), default=0)


def shortened(text: str, limit: int) -> str:
    """Return the whole sentences within `limit` characters; without any, the words followed by "…"."""
    head = text[:limit]
    whole = whole_sentences(head)
    if whole:
        return whole
    words = head[:-1].rpartition(" ")[0]
    return (words if len(words) > limit // 2 else head[:-1]).rstrip() + "…"


def excerpt(text: str, limit: int) -> str:
    """Return a text within `limit` characters: a longer one keeps its head and its tail."""
    if len(text) <= limit:
        return text
    half = (limit - len(_GAP)) // 2
    return text[:limit] if half < 1 else text[:half] + _GAP + text[-half:]
