"""Cleans a model's prose for display and storage: plain characters, few blank lines, whole sentences."""

import re
import unicodedata

from shared.domain.errors import ModelSchemaMismatch
from shared.visible_text import JOINER, MOST_BREAKS, PICTURE_STYLE, UNREADABLE, readable

WHOLE_ENOUGH = 20
"""Shortest text of whole sentences for which a cut reply is kept: one short Korean sentence."""

_SENTENCE_END = re.compile(r"[.!?…。？！~](?=[\s\"'”’)]|$)")
_GAP = " … "
_FENCE = "```"
_NO_PROSE = ("{", _FENCE)


class Prose:
    """A reply that grows piece by piece.

    Attributes:
        text: All text taken so far that may be shown.
    """

    def __init__(self) -> None:
        self.text = ""
        self._held = ""
        self._before = ""
        self._joins = False
        self._breaks = 0
        self._returned = False

    def take(self, piece: str) -> str:
        """Return the text that may be shown now; only a start that may become a fence is held back.

        Raises:
            ModelSchemaMismatch: The reply begins with JSON or a fenced block.
        """
        fresh = self._held + self._plain(piece)
        self._held = ""
        if not self.text:
            fresh = fresh.lstrip()
            if fresh.startswith(_NO_PROSE):
                raise ModelSchemaMismatch("prose was asked, and JSON or a fenced block came")
            if _FENCE.startswith(fresh):
                self._held = fresh
                return ""
        self.text += fresh
        return fresh

    def _plain(self, piece: str) -> str:
        """Keep visible characters and the joiners and styles of emoji; drop broken characters."""
        kept: list[str] = []
        for raw in piece:
            if raw == JOINER:
                self._joins = _is_picture(self._before)
                continue
            char = raw if raw == PICTURE_STYLE and _is_picture(self._before) else self._seen(raw)
            if char and not self._one_break_too_many(char):
                if self._joins and _is_picture(char):
                    kept.append(JOINER)
                self._joins = False
                self._before = char
                kept.append(char)
        return "".join(kept)

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


def _is_picture(char: str) -> bool:
    """Tell whether an emoji may be joined to it: a symbol, a variation selector or a skin tone."""
    return (
        char == PICTURE_STYLE
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or (char != "" and unicodedata.category(char) == "So")
    )
