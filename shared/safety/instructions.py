"""Finds instructions to a model in texts, so that they are not stored for later prompts.

This is the second protection. The first treats all text in a prompt's blocks as data (`shared/prompts/data.py`), so an
instruction that no rule finds can forge nothing.
"""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from shared.visible_text import LIKE_ANGLES, visible

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
_SENTENCE = re.compile(r".+?(?:[.!?。…]++[\"'”’)\]]*+(?=\s|$)|\n|$)", re.DOTALL)


class InstructionPattern(NamedTuple):
    """A pattern of instructions to a model; with `reported` it does not apply to a personal account."""

    id: str
    reported: bool
    pattern: re.Pattern[str]


class FilteredText(NamedTuple):
    """A text without instructions, and the number of dropped sentences."""

    text: str
    dropped: int


@dataclass(frozen=True)
class InstructionPatterns:
    """Finds sentences that are addressed to a model.

    Attributes:
        reported: Pattern of a personal account.
        addressed: Pattern of words that occur in no personal account.
    """

    reported: re.Pattern[str]
    addressed: re.Pattern[str]
    rules: tuple[InstructionPattern, ...]

    def found_in(self, text: str) -> tuple[str, ...]:
        """Return the ids of the rules that match a text."""
        found = {rule for sentence in _sentences(text) for reading in readings(sentence) for rule in self._ids(reading)}
        return tuple(rule.id for rule in self.rules if rule.id in found)

    def without_instructions(self, text: str) -> FilteredText:
        """Return a text without the sentences that are addressed to a model."""
        sentences = _sentences(text)
        kept = [sentence for sentence in sentences if not self.found_in(sentence)]
        if len(kept) == len(sentences):
            return FilteredText(text, 0)
        return FilteredText("".join(kept).strip(), len(sentences) - len(kept))

    def _ids(self, reading: str) -> Iterator[str]:
        for rule in self.rules:
            if not rule.pattern.search(reading):
                continue
            if not rule.reported or not self.reported.search(reading) or self.addressed.search(reading):
                yield rule.id


def _sentences(text: str) -> list[str]:
    return [found for found in _SENTENCE.findall(visible(text)) if found.strip()]


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
