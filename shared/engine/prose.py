"""A model's prose made fit to be shown and stored: plain characters, few blank lines, whole sentences."""

import re
import unicodedata

from shared.domain.errors import ModelSchemaMismatch

WHOLE_ENOUGH = 20
"""Characters of whole sentences from which a cut reply is kept. Own threshold: one short Korean sentence."""

MOST_BREAKS = 2
"""Line breaks in a row: one blank line."""

_SENTENCE_END = re.compile(r"[.!?…。？！~](?=[\s\"'”’)]|$)")
_JOINER = "\u200d"
_AS_PLAIN = {"\t": " ", "\u2028": "\n", "\u2029": "\n"}
_UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls but the line break
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, overrides and isolates
    "\u00ad\u180e\u200b\u200c\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # zero width
    "\U000e0000-\U000e007f"  # tags: text that nobody sees
    "\ud800-\udfff]"  # halves of a pair: no text at all, and UTF-8 cannot hold them
)
_GAP = " … "
_FENCE = "```"
_NO_PROSE = ("{", _FENCE)


class Prose:
    """A reply as it grows, piece by piece.

    Attributes:
        text: All that was taken and is fit to be shown.
    """

    def __init__(self) -> None:
        self.text = ""
        self._held = ""
        self._before = ""
        self._joins = False
        self._breaks = 0

    def take(self, piece: str) -> str:
        """Return what may be shown now; only a beginning that may become a fence is held back for the next piece.

        Raises:
            ModelSchemaMismatch: The reply begins as JSON or as a fenced block.
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
        """Keep what is seen; the zero-width joiner only where it joins two pictures into one emoji."""
        kept: list[str] = []
        for raw in piece:
            char = _AS_PLAIN.get(raw, raw)
            if char == _JOINER:
                self._joins = _is_picture(self._before)
            elif not _UNSEEN.match(char) and not self._one_break_too_many(char):
                if self._joins and _is_picture(char):
                    kept.append(_JOINER)
                self._joins = False
                self._before = char
                kept.append(char)
        return "".join(kept)

    def _one_break_too_many(self, char: str) -> bool:
        if char == "\n":
            self._breaks += 1
        elif not char.isspace():
            self._breaks = 0
        return char == "\n" and self._breaks > MOST_BREAKS


def whole_sentences(text: str) -> str:
    """Return the beginning that ends with a sentence, or nothing when it is too short to stand as a reply."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    whole = text[: ends[-1]].rstrip() if ends else ""
    return whole if len(whole) >= WHOLE_ENOUGH else ""


def shortened(text: str, limit: int) -> str:
    """Return the whole sentences within `limit` characters; of a text without any, the words, and that it goes on."""
    head = text[:limit]
    whole = whole_sentences(head)
    if whole:
        return whole
    words = head[:-1].rpartition(" ")[0]
    return (words if len(words) > limit // 2 else head[:-1]).rstrip() + "…"


def excerpt(text: str, limit: int) -> str:
    """Return a text within `limit` characters: what is too long keeps its head and its tail."""
    if len(text) <= limit:
        return text
    half = (limit - len(_GAP)) // 2
    return text[:limit] if half < 1 else text[:half] + _GAP + text[-half:]


def _is_picture(char: str) -> bool:
    """Tell whether an emoji may be joined to it: a symbol, its variation selector or its skin tone."""
    return (
        char == "\ufe0f" or "\U0001f3fb" <= char <= "\U0001f3ff" or (char != "" and unicodedata.category(char) == "So")
    )
