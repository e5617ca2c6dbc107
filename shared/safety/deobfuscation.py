"""Decodes hidden readings of a sentence: encoded text, letters spelt out, digits for letters."""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from shared.visible_text import LIKE_ANGLES

SHORTEST = 16
"""Fewest base64 letters to decode: twelve bytes, about the shortest instruction. Own threshold."""

_LOOK_ALIKE = str.maketrans("аеорсухіѕјһԁԛԝοαερτυνκ", "aeopcyxisjhdqwoaeptuvk")
"""Cyrillic and Greek small letters that read as Latin ones (UTS #39, confusables)."""
_ANGLES = str.maketrans(LIKE_ANGLES)
_DIGITS = str.maketrans("013457@$", "oieastas")
_WITH_DIGITS = re.compile(r"(?=[a-z013457@$]*[a-z])(?=[a-z013457@$]*[013457@$])(?<!\w)[a-z013457@$]{3,}(?!\w)")
_SPELT_OUT = re.compile(r"(?<!\S)(?:\w[ .\-_*]){2,}\w(?![^\s.,!?])")
_BETWEEN_LETTERS = re.compile(r"[ .\-_*]")
_BASE64 = re.compile(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{SHORTEST},}}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[ ,:]?){8,}")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})")
_LOST = 3
"""Most bytes of an incomplete letter at the end."""


def readings(sentence: str) -> Iterator[str]:
    """Yield a sentence and its hidden readings in lower case with single spaces and plain letters."""
    plain = unicodedata.normalize("NFKC", sentence)
    seen: set[str] = set()
    for form in (plain, _unescaped(plain), *_decoded(plain)):
        folded = _folded(form)
        spelt_out = _folded(_SPELT_OUT.sub(lambda found: _BETWEEN_LETTERS.sub("", found[0]), form))
        lettered = _WITH_DIGITS.sub(lambda found: found[0].translate(_DIGITS), folded)
        for reading in (folded, spelt_out, lettered):
            if reading not in seen:
                seen.add(reading)
                yield reading


def _folded(text: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    folded = unicodedata.normalize("NFC", bare).casefold().translate(_LOOK_ALIKE).translate(_ANGLES)
    return " ".join(folded.split())


def _unescaped(text: str) -> str:
    if not {"%", "&", "\\"} & set(text):
        return text
    characters = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    return html.unescape(unquote(characters, errors="ignore"))


def _decoded(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        letters = found[0][: len(found[0]) - (len(found[0]) % 4 == 1)]
        try:
            yield from _text(base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True))
        except binascii.Error:
            continue
    for found in _HEX.finditer(text):
        digits = re.sub(r"[^0-9A-Fa-f]", "", found[0])
        yield from _text(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _text(raw: bytes) -> Iterator[str]:
    """Yield bytes as text if they are printable UTF-8."""
    text = raw.decode(errors="ignore")
    if text.isprintable() and len(text.encode()) >= len(raw) - _LOST:
        yield text
