"""Undoes what people do to letters: jamo for syllables, words pulled apart, digits for letters, letters swapped.

Messages may be long and most have none of this, so each step is looked for first, in the quickest way. A pattern
starts with a letter, or a class of one, and looks behind afterwards: so the engine skips ahead to the few that matter.
"""

import re
from collections.abc import Set as AbstractSet

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
_ALL_BYTES = bytes(range(256))


def _shapes(*kinds: tuple[bytes, bytes]) -> bytes:
    shape_of = {letter: shape for letters, shape in kinds for letter in letters}
    return b"".join(shape_of.get(byte, b"-") for byte in _ALL_BYTES)


_THREE_LONE = re.compile(rb" x(?= {1,2}x {1,2}x )")
"""Three syllables that stand alone, in the shape of a text."""
_SYLLABLE_OR_OTHER = bytes(ord("x") if 0xAC <= byte <= 0xD7 else ord(" ") for byte in _ALL_BYTES)
"""By the first byte of a unit of UTF-16; what shares one with the last syllables has been dropped before."""
_LONE_IN_SHAPE = re.compile(rb" x {1,2}x(?!x)")
_LONE_OR_MARK = _shapes((_LETTERS + _DIGITS, b"x"), (b" .,", b" "))
_LETTER_OR_DIGIT = _shapes((_LETTERS, b"a"), (_DIGITS, b"1"))

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
"""Words whose inner letters people swap when they are upset, once or twice."""
_WITH_I_FOR_L = {word.replace("l", "i"): word for word in _MISTYPED}
"""By what is left of them when a 1 was read as an i."""


def _with_neighbours_swapped(word: str) -> set[str]:
    """Return a word with any two inner letters that stand side by side in the other order."""
    return {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}


_SWAPPED = [(word, once) for word in _MISTYPED for once in _with_neighbours_swapped(word)]
MEANT = {
    mistyped: word
    for word, once in _SWAPPED
    for mistyped in (once, *_with_neighbours_swapped(once))
    if mistyped not in _MISTYPED  # twice the same two
}
"""The word that is meant by each of those that come of swapping neighbours."""
_WORD = re.compile(r"[a-z0-9]+")
_WORDS_ALONE = bytes(byte if byte in _LETTERS + _DIGITS else ord(" ") for byte in _ALL_BYTES)


def composed(text: str) -> str:
    """Return a lower-case text with jamo composed to syllables, and laughter and tears left out."""
    if text.isascii() or not _ANY_JAMO.search(text):
        return text
    if _PART_OF_SYLLABLE.search(text):
        text = _LATIN_VOWELS.sub(lambda found: "ㅏ" if found[0] == "r" else "ㅣ", _JAMO_APART.sub(r"\1", text))
        text = _JAMO_SYLLABLE.sub(_compose, text)
        if _STRAY.search(text):
            text = _STRAY_TAIL.sub(_close, text)
    return _LAUGH_OR_TEAR.sub(" ", text)


def rejoined(plain: str, unusual: AbstractSet[str]) -> str:
    """Return a plain reading with what was pulled apart joined, and disguised words in their usual letters.

    Args:
        plain: The reading.
        unusual: Of its Latin words those of `MEANT`; others do no harm.
    """
    text = plain
    if any(picture in text for picture in TELLING):
        for picture in TELLING:
            text = text.replace(picture, " ")
        text = " ".join(text.split())
    if not text.isascii():
        text = _INSIDE_WORD.sub("", text)
    text = _with_letters_for_digits(_without_gaps(text))
    if MEANT.keys().isdisjoint(unusual if text is plain else latin_words(text)):
        return text
    return _WORD.sub(lambda found: MEANT.get(found[0], found[0]), text)


def latin_words(text: str) -> list[str]:
    """Return the lower-case words of a text that are written in Latin letters and digits."""
    return text.encode("ascii", "replace").translate(_WORDS_ALONE).decode().split()


def _without_gaps(text: str) -> str:
    joined = text if text.isascii() else _with_syllables_joined(text)
    if _LONE_IN_SHAPE.search(joined.encode("ascii", "replace").translate(_LONE_OR_MARK)):
        joined = _LONE_LETTERS.sub(_join, joined)
    return joined if joined != text and _SPACED_OUT.search(f" {text}") else text


def _with_syllables_joined(text: str) -> str:
    first_bytes = f" {text} ".encode("utf-16-be", "surrogatepass")[::2]
    if len(first_bytes) != len(text) + 2:  # some letters have two units: no place is known
        return _LONE_SYLLABLES.sub(_join, text)
    pieces, done = [], 0
    for found in _THREE_LONE.finditer(first_bytes.translate(_SYLLABLE_OR_OTHER)):
        if found.start() >= done and (run := _LONE_SYLLABLES.match(text, found.start() + 1)):
            pieces += [text[done : run.start()], _join(run)]
            done = run.end()
    return "".join([*pieces, text[done:]])


def _with_letters_for_digits(text: str) -> str:
    """Spell out the words of three or more letters that have both; 1 stands for i, or for l in words that have one."""
    shape = text.encode("ascii", "replace").translate(_LETTER_OR_DIGIT)
    if b"a1" not in shape and b"1a" not in shape:
        return text
    pieces, done = [], 0
    for found in _DIGIT_BY_LETTER.finditer(shape):
        if found.start() < done:
            continue
        start, end = shape.rfind(b"-", 0, found.start()) + 1, shape.find(b"-", found.start())
        end = end if end >= 0 else len(text)
        if end - start > 2:
            word = text[start:end].translate(_LETTER_OF)
            pieces += [text[done:start], _WITH_I_FOR_L.get(word.replace("l", "i"), word)]
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
