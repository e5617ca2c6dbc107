"""Reads plain text and Markdown."""

import re
import unicodedata
from collections import Counter

from shared.domain.errors import FileTypeRefused

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_WITHOUT_BOM = ("utf-8", "cp949")
_ODD = frozenset({"Cc", "Cn", "Co", "Cs"})
_ODD_SHARE = 0.02
"""Share of controls and unassigned characters above which the bytes are no text. Text has almost none; bytes of another
format that happen to decode have many."""
_MARKUP = re.compile(r"^\s*(<\?xml|<!doctype|<html|<svg)", re.IGNORECASE)


def read_text(data: bytes) -> str:
    """Decode a text: UTF-8, UTF-16 with a byte order mark, or CP949.

    Raises:
        FileTypeRefused: It is none.
    """
    text = _decoded(data)
    if "\x00" in text or _MARKUP.match(text[:200]) or _odd(text) > _ODD_SHARE * len(text):
        raise FileTypeRefused
    return text


def read_markdown(data: bytes) -> str:
    """Decode Markdown and drop the marks of emphasis and quotes.

    Raises:
        FileTypeRefused: See `read_text`.
    """
    return "\n".join(map(_unmarked, read_text(data).splitlines()))


def _decoded(data: bytes) -> str:
    declared = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    for encoding in (declared,) if declared else _WITHOUT_BOM:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FileTypeRefused


def _unmarked(line: str) -> str:
    """Drop the marks of quotes and emphasis; those of headings tell the parser what is one."""
    # Underscores stay: a contract has them as blanks to fill in.
    return line.lstrip(" \t").removeprefix(">").lstrip(" \t").replace("**", "")


def _odd(text: str) -> int:
    counted = Counter(text)
    return sum(
        count
        for character, count in counted.items()
        if character not in "\n\r\t\f" and unicodedata.category(character) in _ODD
    )
