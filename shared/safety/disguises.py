"""Undoes disguised spellings: jamo for syllables, spaced-out words, digits for letters, swapped letters."""

import re
from string import ascii_lowercase

TELLING = "🔪🩸⚰💊🪦"
"""Emoji with a meaning of their own for the rules."""

_LEADS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_TAILS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_QUIET_TAILS = _TAILS.replace("ㅋ", "").replace("ㅎ", "")  # ㅋ and ㅎ after a syllable are laughter
_FIRST_SYLLABLE = 0xAC00
_TAIL_SLOTS = len(_TAILS) + 1

_ANY_JAMO = re.compile(r"[ㄱ-ㅣ]")
_JAMO_APART = re.compile(rf"([{_LEADS}]) +(?=[{_VOWELS}])")
_LATIN_VOWELS = re.compile(r"[rl](?<=[ㄱ-ㅎ][rl])")
_JAMO_SYLLABLE = re.compile(
    rf"([{_LEADS}])(?:(?<![ㅋㅎ])|(?![ㅠㅜㅡ]))([{_VOWELS}])(?:([{_QUIET_TAILS}])(?![{_VOWELS}]))?"
)
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
"""From the mark after the first of three or more single letters."""
_BETWEEN_LONE = re.compile(r"[ .,?!]+")

_WITH_DIGITS = re.compile(r"(?<![a-z0-9])(?=[a-z]*[0-9]+[a-z]|[0-9]*[a-z]+[0-9])[a-z0-9]{3,}")
"""A word of three or more letters and digits that has both."""
_LETTER_OF = str.maketrans("013457", "oieast")
_MISTYPED = (  # noqa: SIM905 - too long as a list
    "want kill myself life ending suicide suicidal living alive dying anymore wrists bleeding cutting hurting pills "
    "tablets swallowed purpose bridge jump sleep forever tonight thinking himself herself friend boyfriend "
    "girlfriend"
).split()
"""Words in which upset users often swap inner letters."""
_WITH_I_FOR_L = {word.replace("l", "i"): word for word in _MISTYPED}
"""Keyed by their spelling after a 1 was read as an i."""


def _with_neighbours_swapped(word: str) -> set[str]:
    return {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}


_SLIPPED = ("myself", "suicide", "suicidal", "overdose", "overdosed", "paracetamol", "wrists", "forever", "cutting")
"""Words unlike any other word, so that one wrong, missing or doubled letter is a typo."""


def _with_one_slip(word: str) -> set[str]:
    places = range(1, len(word) + 1)
    left_out = {word[:at] + word[at + 1 :] for at in places}
    put_in = {word[:at] + letter + word[at:] for at in places for letter in ascii_lowercase}
    return left_out | put_in | {word[:at] + letter + word[at + 1 :] for at in places[:-1] for letter in ascii_lowercase}


_SWAPPED = {word: _with_neighbours_swapped(word) for word in _MISTYPED}
MEANT = {
    **{slip: word for word in _SLIPPED for slip in _with_one_slip(word)},
    **{slip: word for word, swapped in _SWAPPED.items() for once in swapped for slip in _with_neighbours_swapped(once)},
    **{slip: word for word, swapped in _SWAPPED.items() for slip in swapped},
}
"""The intended word for each typo."""
for _written in {*_MISTYPED, *_SLIPPED, "suicides", "wrist", "waists", "writs", "cuttings"}:
    MEANT.pop(_written, None)
_WORD = re.compile(r"[a-z0-9]+")


def composed(text: str) -> str:
    """Return a lower-case text with jamo composed to syllables and without laughter and tears (ㅋㅋ, ㅠㅠ)."""
    if not _ANY_JAMO.search(text):
        return text
    text = _LATIN_VOWELS.sub(lambda found: "ㅏ" if found[0] == "r" else "ㅣ", _JAMO_APART.sub(r"\1", text))
    text = _STRAY_TAIL.sub(_close, _JAMO_SYLLABLE.sub(_compose, text))
    return _LAUGH_OR_TEAR.sub(" ", text)


def rejoined(plain: str) -> str:
    """Return a plain reading with spaced-out words joined and disguised words in their usual letters."""
    text = plain
    if any(picture in text for picture in TELLING):
        for picture in TELLING:
            text = text.replace(picture, " ")
        text = " ".join(text.split())
    text = _WITH_DIGITS.sub(_with_letters_for_digits, _without_gaps(_INSIDE_WORD.sub("", text)))
    return _WORD.sub(lambda found: MEANT.get(found[0], found[0]), text)


def _without_gaps(text: str) -> str:
    joined = _LONE_LETTERS.sub(_join, _LONE_SYLLABLES.sub(_join, text))
    return joined if joined != text and _SPACED_OUT.search(f" {text}") else text


def _with_letters_for_digits(found: re.Match[str]) -> str:
    """Spell out a word; 1 stands for i, or for l in words that have one."""
    word = found[0].translate(_LETTER_OF)
    return _WITH_I_FOR_L.get(word.replace("l", "i"), word)


def _join(found: re.Match[str]) -> str:
    return _BETWEEN_LONE.sub("", found[0])


def _compose(found: re.Match[str]) -> str:
    lead, vowel, tail = found.groups()
    slot = _TAILS.index(tail) + 1 if tail else 0
    block = _LEADS.index(lead) * len(_VOWELS) + _VOWELS.index(vowel)
    return chr(_FIRST_SYLLABLE + block * _TAIL_SLOTS + slot)


def _close(found: re.Match[str]) -> str:
    """Attach a stray consonant to the open syllable before it: 주ㄱ고 → 죽고."""
    syllable, tail = found.groups()
    if (ord(syllable) - _FIRST_SYLLABLE) % _TAIL_SLOTS:
        return found[0]
    return chr(ord(syllable) + _TAILS.index(tail) + 1)
