"""Undoes what people do to letters: jamo for syllables, words pulled apart, digits for letters, letters swapped.

Messages may be long and most have none of this, so each step is looked for first, in the quickest way. A pattern
starts with a letter, or a class of one, and looks behind afterwards: so the engine skips ahead to the few that matter.
"""

import re

from shared.domain.safety.shapes import blocks, latin, table

TELLING = "🔪🩸⚰💊🪦"
"""The pictures that say something beside words."""

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_QUIET_TAILS = _TAILS.replace("ㅋ", "").replace("ㅎ", "")  # ㅋ and ㅎ after a syllable are laughter
_FIRST_SYLLABLE = 0xAC00
_TAIL_SLOTS = len(_TAILS) + 1

_ANY_JAMO = re.compile(r"[ㄱ-ㅣ]")
_PART_OF_SYLLABLE = re.compile(
    r"[ㄱ-ㅎ](?:[rl]|(?<![ㅋㅎ]) *[ㅏ-ㅣ]|(?<=[ㅋㅎ]) *[ㅏ-ㅛㅝ-ㅟㅢㅣ]|(?<![ㅋㅎ])(?<=[가-힣].)(?=[가-힣]))"
)
"""A consonant to which anything of the next five may apply; for all others only laughter and tears are left."""
_JAMO_APART = re.compile(rf"([{_LEADS}]) +(?=[{_VOWELS}])")
_LATIN_VOWELS = re.compile(r"[rl](?<=[ㄱ-ㅎ][rl])")
_JAMO_SYLLABLE = re.compile(
    rf"([{_LEADS}])(?:(?<![ㅋㅎ])|(?![ㅠㅜㅡ]))([{_VOWELS}])(?:([{_QUIET_TAILS}])(?![{_VOWELS}]))?"
)
_STRAY = re.compile(rf"[{_QUIET_TAILS}](?<=[가-힣].)(?=[가-힣])")
_STRAY_TAIL = re.compile(rf"([가-힣])([{_QUIET_TAILS}])(?=[가-힣])")
_LAUGH_OR_TEAR = re.compile(
    r"[ㅋㅎㅗㅛㅜㅠㅡ](?:"
    r"(?<=[ㅋㅎ])(?:[ㅋㅎ]+|(?<![ㄱ-ㅎ].)(?![ㄱ-ㅎ]))(?: +(?=[ㅜㅠㅡ]))?|"
    r"(?<=[ㅗㅛㅜㅠㅡ])[ㅗㅛㅜㅠㅡ]*)"
)

_INSIDE_WORD = re.compile(r"[0-9a-zㄱ-ㅣ.,](?<=[가-힣][0-9a-zㄱ-ㅣ.,])[0-9a-zㄱ-ㅣ.,]?(?=[가-힣])")
_SPACED_OUT = re.compile(r"[ .,?!][가-힣a-z0-9][ .,?!]{1,2}[가-힣a-z0-9](?![가-힣a-z0-9])")
_LONE_SYLLABLES = re.compile(
    r"[ .,?!](?<=[가-힣].)(?<![가-힣][가-힣].)[ .,?!]?[가-힣](?![가-힣])(?:[ .,?!]{1,2}[가-힣](?![가-힣]))+"
)
_LONE_LETTERS = re.compile(
    r"[ .,](?<=[a-z0-9].)(?<![a-z0-9][a-z0-9].)[ .,]?[a-z0-9](?![a-z0-9])(?:[ .,]{1,2}[a-z0-9](?![a-z0-9]))+"
)
"""From the mark after the first of three or more that stand alone."""
_BETWEEN_LONE = re.compile(r"[ .,?!]+")

_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_JAMO = b"\x31"
_SYLLABLE = table({bytes(range(0xAC, 0xD8)): b"x"}, b" ")
_LONE_IN_SHAPE = re.compile(rb" x {1,2}x(?!x)")
_LONE_OR_MARK = table({_LETTERS + _DIGITS: b"x", b" .,": b" "}, b"-")
_INSIDE_A_WORD = table({_LETTERS + _DIGITS + b".,": b"x", b"?": b"?"}, b" ")
_LETTER_AND_DIGIT = table({_LETTERS: b"a", _DIGITS: b"1"}, b"-")
_LATIN_WORDS = table({bytes([byte]): bytes([byte]) for byte in _LETTERS + _DIGITS}, b" ")

_DIGIT_BY_LETTER = re.compile(rb"1(?:(?<=a1)|(?=a))")
_LETTER_OF = str.maketrans("013457", "oieast")
_MISTYPED = (
    "want",
    "kill",
    "myself",
    "life",
    "ending",
    "suicide",
    "suicidal",
    "living",
    "alive",
    "dying",
    "anymore",
)
"""Words whose inner letters people swap when they are upset."""


def _letters_of(word: str) -> str:
    return f"{word[0]}{''.join(sorted(word))}"


_MEANT = {_letters_of(word): word for word in _MISTYPED}
_LIKE_MISTYPED = re.compile(
    rf"[{''.join({word[0]: '' for word in _MISTYPED})}](?<![a-z0-9].)"
    rf"(?:{'|'.join(rf'(?<={word[0]})[{word[1:]}]{{{len(word) - 1}}}' for word in _MISTYPED)})(?![a-z0-9])"
)
_LATIN_LIKE_MISTYPED = re.compile(_LIKE_MISTYPED.pattern.encode())


def composed(text: str) -> str:
    """Return a lower-case text with jamo composed to syllables, and laughter and tears left out."""
    if not _ANY_JAMO.search(text):
        return text
    if _PART_OF_SYLLABLE.search(text):
        text = _LATIN_VOWELS.sub(lambda found: "ㅏ" if found[0] == "r" else "ㅣ", _JAMO_APART.sub(r"\1", text))
        text = _JAMO_SYLLABLE.sub(_compose, text)
        if _STRAY.search(text):
            text = _STRAY_TAIL.sub(_close, text)
    return _LAUGH_OR_TEAR.sub(" ", text)


def rejoined(plain: str) -> str:
    """Return a plain reading with what was pulled apart joined, and disguised words in their usual letters."""
    text = plain
    if any(picture in text for picture in TELLING):
        for picture in TELLING:
            text = text.replace(picture, " ")
        text = " ".join(text.split())
    shape, parts = latin(text), blocks(text)
    if _may_have_something_inside(shape, parts):
        text = _INSIDE_WORD.sub("", text)
        shape, parts = latin(text), blocks(text)
    joined = text
    if b" x x x " in b" %b " % parts.translate(_SYLLABLE).replace(b"  ", b" "):
        joined = _LONE_SYLLABLES.sub(_join, joined)
    if _LONE_IN_SHAPE.search(shape.translate(_LONE_OR_MARK)):
        joined = _LONE_LETTERS.sub(_join, joined)
    if joined != text and _SPACED_OUT.search(f" {text}"):
        text, shape = joined, latin(joined)
    return _respelled(text, shape)


def _may_have_something_inside(shape: bytes, parts: bytes) -> bool:
    inside = shape.translate(_INSIDE_A_WORD)
    return b"?x?" in inside or b"?xx?" in inside or _JAMO in parts


def _respelled(text: str, shape: bytes) -> str:
    words = b" ".join(shape.translate(_LATIN_WORDS).split())
    kinds = words.translate(_LETTER_AND_DIGIT)
    if b"a1" in kinds or b"1a" in kinds:
        text = _with_letters_for_digits(text)
    elif not _LATIN_LIKE_MISTYPED.search(words):
        return text
    return _LIKE_MISTYPED.sub(lambda found: _MEANT.get(_letters_of(found[0]), found[0]), text)


def _with_letters_for_digits(text: str) -> str:
    """Spell out the words of three or more that have both."""
    kinds = latin(text).translate(_LETTER_AND_DIGIT)
    pieces, done = [], 0
    for found in _DIGIT_BY_LETTER.finditer(kinds):
        if found.start() < done:
            continue
        start, end = kinds.rfind(b"-", 0, found.start()) + 1, kinds.find(b"-", found.start())
        end = end if end >= 0 else len(text)
        if end - start > 2:
            pieces += [text[done:start], text[start:end].translate(_LETTER_OF)]
            done = end
    return "".join([*pieces, text[done:]])


def _join(found: re.Match[str]) -> str:
    return _BETWEEN_LONE.sub("", found[0])


def _compose(found: re.Match[str]) -> str:
    lead, vowel, tail = found.groups()
    slot = _TAILS.index(tail) + 1 if tail else 0
    block = _LEADS.index(lead) * len(_VOWELS) + _VOWELS.index(vowel)
    return chr(_FIRST_SYLLABLE + block * _TAIL_SLOTS + slot)


def _close(found: re.Match[str]) -> str:
    """Put a stray consonant under the open syllable before it: 주ㄱ고 → 죽고."""
    syllable, tail = found.groups()
    if (ord(syllable) - _FIRST_SYLLABLE) % _TAIL_SLOTS:
        return found[0]
    return chr(ord(syllable) + _TAILS.index(tail) + 1)
