"""Text as somebody reads it: nothing in it that nobody sees, one form of line break, one form of space.

Hidden characters carry instructions past a reader: tags (U+E0000) and variation selectors spell whole sentences, zero
width splits words that rules look for, bidi controls turn what is shown around. Unicode TR #36 and #39.

This is the one list of them; whoever reads letter by letter asks `readable`.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

MOST_BREAKS = 2
"""Line breaks in a row that are kept: one blank line."""
MAX_MARKS = 30
"""Most combining marks in a row: the Stream-Safe limit of UAX #15, section 13. Normalising a longer run takes quadratic
time, and no writing system needs one."""
UNREADABLE = "\ufffd"
"""Stands for what is no text."""
LIKE_ANGLES = {
    **dict.fromkeys("＜﹤\u2329\u3008\u300a⟨⟪❮❰❬⧼ᐸ˂≪⪡⋖", "<"),
    **dict.fromkeys("＞﹥\u232a\u3009\u300b⟩⟫❯❱❭⧽ᐳ˃≫⪢⋗", ">"),
}
"""What is read as an angle bracket (UTS #39, confusables; mathematical and East Asian brackets)."""

_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SPACES = re.compile("[\t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u2800\u3164\uffa0]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"
    "\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f]"  # ignorable: the grapheme joiner, variation selectors
)
_NO_TEXT = re.compile("[\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff]")
"""Halves of a pair, which UTF-8 cannot hold, and code points that no standard gives a meaning."""
# Apart from those above: a class of 16-bit characters compiles to a table, one with these to a list, ten times as slow.
_HIGH = re.compile("[\U00010000-\U0010ffff]")
_HIGH_UNSEEN = re.compile(
    "[\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format characters
    "\U000e0000-\U000e0fff]"  # tags, more variation selectors
)
_HIGH_NO_TEXT = re.compile("[\U000f0000-\U0010ffff]")
_TOO_MANY_BREAKS = re.compile(rf"\n(?: *\n){{{MOST_BREAKS},}}")


def visible(text: str) -> str:
    """Return the text that a reader sees; emoji keep their pictures and lose what joined or coloured them."""
    plain = _one_by_one(_BREAKS.sub("\n", text))
    return _TOO_MANY_BREAKS.sub("\n" * MOST_BREAKS, plain)


def composed(text: str) -> str:
    """Return the text in NFC, with at most `MAX_MARKS` combining marks in a row."""
    return unicodedata.normalize("NFC", "".join(_with_bounded_marks(text)))


@lru_cache(maxsize=4096)
def readable(char: str) -> str:
    """Return one character as a reader sees it: itself, a space, a line break, `UNREADABLE`, or nothing."""
    return _one_by_one(_BREAKS.sub("\n", char))


def _with_bounded_marks(text: str) -> Iterator[str]:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= MAX_MARKS:
            yield character


def _one_by_one(text: str) -> str:
    plain = _NO_TEXT.sub(UNREADABLE, _UNSEEN.sub("", _SPACES.sub(" ", text)))
    if _HIGH.search(plain):
        plain = _HIGH_NO_TEXT.sub(UNREADABLE, _HIGH_UNSEEN.sub("", plain))
    return plain
